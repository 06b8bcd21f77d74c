// The packaged prompts fit the tools of their roles: a prompt sends nobody to a tool that is not there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOOL_NAMES } from '../../src/config/tool-names.ts';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { roleTools } from '../../src/tools/index.ts';
import { newPlace } from './place.ts';

const promptOf = (role: string): string => readFileSync(join('roles', role, 'prompt.md'), 'utf8');
const inCode = (text: string): string[] =>
  [...text.matchAll(/`([a-z_]+)(?:\([^`]*\))?`/g)].map(([, name = '']) => name);
const isTool = (name: string): boolean => (TOOL_NAMES as readonly string[]).includes(name);
/** Arguments of tools, and keys of the answer that the remember agent gives. */
const OTHER_WORDS = [
  ...roleTools().flatMap(({ parameters }) => Object.keys(parameters.properties ?? {})),
  ...[
    'recommended_layer',
    'rationale',
    'suggested_memory_content',
    'evidence',
    'lines',
    'quote',
    'confidence',
  ],
];

describe.each(BUILT_IN_ROLES)('the prompt of %s', (name) => {
  const role = () =>
    newPlace()
      .load()
      .roles.find((r) => r.name === name);

  it('names only tools that the role has, and roles that it may start', () => {
    const { tools = [], may_start = [] } = role() ?? {};
    const words = inCode(promptOf(name));
    expect(words.filter((word) => isTool(word) && !tools.includes(word))).toEqual([]);
    const roles = words.filter((word) => (BUILT_IN_ROLES as readonly string[]).includes(word));
    expect(roles.filter((word) => !may_start.includes(word))).toEqual([]);
    const known = [...TOOL_NAMES, ...BUILT_IN_ROLES, ...OTHER_WORDS] as readonly string[];
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
  });

  it('is short enough to be read with every request', () => {
    expect(promptOf(name).split(/\s+/).length).toBeLessThan(650);
  });
});

it('the prompt of the main agent names only tools and arguments that there are', () => {
  const known = [...TOOL_NAMES, ...OTHER_WORDS] as readonly string[];
  expect(inCode(promptOf('main')).filter((word) => !known.includes(word))).toEqual([]);
});
