// Does one action with the real tools and reports what came of it. The request itself is never interpreted here.
import type { Language } from '../../language/lexicon.ts';
import type { Action } from './action.ts';
import { documentFile } from './documents.ts';
import { withoutNumbers } from './findings.ts';
import { debug, readme, review, runTests, summary } from './inspect.ts';
import { remember } from './remember.ts';
import type { Report } from './report.ts';
import { runCommand } from './run-command.ts';
import { say } from './say.ts';
import { type Call, one, type Script } from './script.ts';
import { shellQuote } from './shell-quote.ts';
import { writeFiles } from './write-files.ts';

const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** One call whose outcome is the answer. `show`: what the answer says over the content; null: only that it is done. */
function* simple(
  language: Language,
  call: Call,
  more: { what: string; show?: string; files?: string[] },
): Script<Report> {
  const s = say(language);
  const { ok, content } = yield* one(s.doing(more.what), call.tool, call.args);
  if (!ok) return { ok, text: s.failed(more.what, content), files: [] };
  const body = `${more.show}\n\n\`\`\`\n${content.replace(/\n$/, '')}\n\`\`\``;
  return { ok, text: more.show ? body : s.done(more.what), files: more.files ?? [] };
}

function* read(path: string, language: Language): Script<Report> {
  const s = say(language);
  const { ok, content } = yield* one(s.reading(path), 'read', { path });
  if (!ok) return { ok, text: s.failed(path, content), files: [] };
  const text = `${s.contentOf(path)}\n\n\`\`\`\n${withoutNumbers(content)}\n\`\`\``;
  return { ok, text, files: [] };
}

/** The page alone, without the frame that marks it as data for models. */
function* fetchPage(url: string, language: Language): Script<Report> {
  const s = say(language);
  const { ok, content } = yield* one(s.doing(url), 'fetch', { url });
  if (!ok) return { ok, text: s.failed(url, content), files: [] };
  const page = /^<<<DATA [^\n]*\n([\s\S]*)\n<<<END DATA [^\n]*/m.exec(content)?.[1] ?? content;
  return { ok, text: `${s.contentOf(url)}\n\n\`\`\`\`\n${page}\n\`\`\`\``, files: [] };
}

function* append(path: string, content: string, language: Language): Script<Report> {
  const command = `printf %s ${shellQuote(content)} >> ${shellQuote(path)}`;
  const { ok, text } = yield* runCommand(command, language);
  return { ok, text: ok ? say(language).done(`${path} +${content.length}`) : text, files: [path] };
}

export function perform(action: Action, request: string, language: Language): Script<Report> {
  const s = say(language);
  switch (action.do) {
    case 'create': {
      const { path, content } = action;
      const call = { tool: 'write', args: { path, content } };
      return simple(language, call, { what: path, files: [path] });
    }
    case 'append':
      return append(action.path, action.content, language);
    case 'replace': {
      const { path, old, fresh } = action;
      const call = { tool: 'edit', args: { path, old, new: fresh, all: true } };
      return simple(language, call, { what: `${path}: ${old} → ${fresh}`, files: [path] });
    }
    case 'read':
      return read(action.path, language);
    case 'command':
      return runCommand(action.command, language, false);
    case 'list': {
      const { path } = action;
      const call = { tool: 'list', args: path === '.' ? {} : { path } };
      return simple(language, call, { what: path, show: s.inFolder(path) });
    }
    case 'find': {
      const { pattern } = action;
      const call = { tool: 'glob', args: { pattern } };
      return simple(language, call, { what: pattern, show: s.found(pattern) });
    }
    case 'search': {
      const { text, path } = action;
      const args = { pattern: escapeRegex(text), ...(path === '.' ? {} : { path }) };
      return simple(language, { tool: 'grep', args }, { what: text, show: s.found(`"${text}"`) });
    }
    case 'fetch':
      return fetchPage(action.url, language);
    case 'document':
      return writeFiles([documentFile(action.kind, request, language)], language);
    case 'value':
      return value(`${action.expression} = ${action.value}`);
    case 'summary':
      return summary(action.path, language);
    case 'tests':
      return runTests(language);
    case 'readme':
      return readme(language);
    case 'review':
      return review(language);
    case 'debug':
      return debug(language);
    case 'remember':
      return remember(language);
  }
}

// biome-ignore lint/correctness/useYield: it needs no tool
function* value(text: string): Script<Report> {
  return { ok: true, text, files: [] };
}
