// Who can be asked: the main agent and every role, each as one assistant. The ids follow from the names.
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Role } from '../../domain/role.ts';

/** The main agent's name as an assistant. */
export const MAIN = 'troupe';

export type Assistant = {
  assistant_id: string;
  /** That of the role; the same as its name unless its configuration says otherwise. */
  graph_id: string;
  name: string;
  description: string;
  config: Record<string, never>;
  context: Record<string, never>;
  metadata: { created_by: 'system'; model: string | null };
  version: 1;
  created_at: string;
  updated_at: string;
};

/** The same name has the same id on every server, so that a client may keep it. */
export function assistantId(name: string): string {
  const hex = createHash('sha256').update(`troupe:assistant:${name}`).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const MAIN_DESCRIPTION = 'The main agent: plans a request and hands its parts to the roles.';

export function createAssistants(roles: () => readonly Role[], since: string) {
  const make = (
    name: string,
    description: string,
    model: string | null,
    graph_id = name,
  ): Assistant => ({
    assistant_id: assistantId(name),
    graph_id,
    name,
    description,
    config: {},
    context: {},
    metadata: { created_by: 'system', model },
    version: 1,
    created_at: since,
    updated_at: since,
  });
  const all = (): Assistant[] => [
    make(MAIN, MAIN_DESCRIPTION, null),
    ...roles().map((role) => make(role.name, role.description, role.model, role.graph_id)),
  ];
  /** `only`: the role whose own address was asked; null: the root, where everybody is. */
  const list = (only: string | null): Assistant[] =>
    all().filter((a) => only === null || a.name === only);
  return {
    list,
    /** By id or by name. */
    find(id: string, only: string | null): Assistant {
      const known = list(only);
      const found = known.find((a) => a.assistant_id === id || a.name === id || a.graph_id === id);
      if (found) return found;
      const names = known.map((a) => a.name).join(', ');
      throw new AppError('not_found', `no assistant ${id.slice(0, 100)} here; known: ${names}`);
    },
  };
}
export type Assistants = ReturnType<typeof createAssistants>;
