// The tools of an agent. A new tool is one file and one line here.
import type { Tool } from '../domain/tool.ts';
import { askUser } from './ask-user.ts';
import { brainTools } from './brain.ts';
import { delegateTools } from './delegate.ts';
import { edit } from './edit.ts';
import { createFetch } from './fetch.ts';
import { glob } from './glob.ts';
import { createGrep } from './grep.ts';
import { list } from './list.ts';
import { memoryTools } from './memory.ts';
import { read } from './read.ts';
import { reportBlocked } from './report-blocked.ts';
import { guarded } from './result.ts';
import type { Environment } from './shell/environment.ts';
import { createShell } from './shell.ts';
import { todo } from './todo.ts';
import { write } from './write.ts';

/**
 * Every tool that works inside a role server. `own` is the environment of the process: only PATH, locale and
 * time zone of it reach commands. Call once a process: the shell remembers what runs in the background.
 */
export const roleTools = (own: Environment = {}): Tool[] =>
  [
    read,
    write,
    edit,
    list,
    glob,
    createGrep(),
    createShell(own),
    createFetch(),
    todo,
    reportBlocked,
    askUser,
    ...memoryTools(),
    ...brainTools(),
    ...delegateTools(),
  ].map(guarded);
