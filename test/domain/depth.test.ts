import { describe, expect, it } from 'vitest';
import {
  beyondCeiling,
  canSpawn,
  childOf,
  depthStatus,
  powersUnder,
  refuseCrowd,
  refuseSpawn,
} from '../../src/domain/depth.ts';
import type { Role } from '../../src/domain/role.ts';
import { roleNamed } from '../support/role-named.ts';

const rolesOf = (...roles: Role[]) => new Map(roles.map((role) => [role.name, role]));

describe('depth guard', () => {
  for (const max_depth of [1, 2, 3, 10])
    it(`with max_depth ${max_depth}: depths 0 to max_depth - 1 spawn, max_depth and beyond are leaves`, () => {
      for (let depth = 0; depth <= max_depth + 1; depth += 1) {
        const at = { depth, max_depth };
        expect(canSpawn(at)).toBe(depth < max_depth);
        expect(depthStatus(at)).toBe(depth < max_depth ? `DEPTH_${depth}` : 'LEAF_NODE');
        expect(childOf(at)).toEqual({ depth: depth + 1, max_depth });
      }
    });

  const ask = {
    at: { depth: 0, max_depth: 2 },
    may_start: ['coder'],
    roles: rolesOf(
      roleNamed('coder'),
      roleNamed('planner', { may_start: ['worker'] }),
      roleNamed('worker', { visible_to: ['planner'] }),
      roleNamed('entry', { visible_to: [] }),
      roleNamed('finder', { visible_to: ['*'] }),
    ),
    line: ['main'],
  };
  it('names the known roles when the role is unknown, and no hidden one', () => {
    const refusal = refuseSpawn({ ...ask, parent: 'main', child: 'codr' });
    expect(refusal).toEqual({
      rule: 'unknown_role',
      message: 'unknown role "codr"; known roles: coder, planner',
    });
  });
  it('names parent, child, depth and limit when the depth refuses', () => {
    const refusal = refuseSpawn({
      ...ask,
      parent: 'coder',
      child: 'coder',
      at: { depth: 2, max_depth: 2 },
    });
    expect(refusal?.rule).toBe('depth');
    expect(refusal?.message).toContain(
      'coder at depth 2 may not start coder: max_depth is 2 (LEAF_NODE)',
    );
  });
  it('names whom the parent may start when the matrix refuses', () => {
    const refusal = refuseSpawn({ ...ask, parent: 'main', child: 'planner' });
    expect(refusal).toEqual({
      rule: 'matrix',
      message: 'main may not start planner; it may start: coder',
    });
  });
  it('refuses a hidden role with its allowed parents, even where the table names it', () => {
    const may_start = ['coder', 'worker', 'entry'];
    expect(refuseSpawn({ ...ask, may_start, parent: 'main', child: 'worker' })).toEqual({
      rule: 'hidden',
      message: 'worker is hidden from main; it is started by: planner',
    });
    expect(refuseSpawn({ ...ask, may_start, parent: 'main', child: 'entry' })?.message).toBe(
      'entry is hidden from main; no agent starts it: it is the main agent of a workflow',
    );
    const planner = { ...ask, parent: 'planner', may_start: ['worker'], line: ['main', 'planner'] };
    expect(refuseSpawn({ ...planner, child: 'worker' })).toBeNull();
    expect(refuseSpawn({ ...ask, parent: 'main', child: 'finder' })?.rule).toBe('matrix');
  });
  it('takes names as they are: other case is another role', () => {
    expect(refuseSpawn({ ...ask, parent: 'main', child: 'Coder' })?.rule).toBe('unknown_role');
    expect(refuseSpawn({ ...ask, parent: 'main', child: 'coder' })).toBeNull();
  });
});

describe('a ceiling', () => {
  const roles = rolesOf(
    roleNamed('careful', { tools: ['read', 'write'], ceiling: true }),
    roleNamed('reader', { tools: ['read'], ceiling: true }),
    roleNamed('free', { tools: ['read', 'shell', 'start_async_task'] }),
    roleNamed('plain', { tools: ['read', 'start_async_task'] }),
    roleNamed('handed', { tools: ['read', 'shell'], visible_to: ['careful'] }),
  );
  it('holds for everybody below it, at any depth, and names what goes beyond it', () => {
    expect(beyondCeiling(['main', 'careful'], 'free', roles)).toEqual(['shell']);
    expect(beyondCeiling(['main', 'careful', 'plain'], 'free', roles)).toEqual(['shell']);
    expect(beyondCeiling(['main', 'free'], 'free', roles)).toEqual([]);
    const refusal = refuseSpawn({
      ...{ parent: 'plain', child: 'free', may_start: ['free'], roles },
      ...{ at: { depth: 2, max_depth: 9 }, line: ['main', 'careful', 'plain'] },
    });
    expect(refusal).toEqual({
      rule: 'ceiling',
      message: 'plain may not start free: a ceiling above it does not allow shell',
    });
  });
  it('under a ceiling only gets lower', () => {
    expect([...(powersUnder(['main', 'careful', 'reader'], roles) ?? [])]).toEqual(['read']);
    expect([...(powersUnder(['main', 'reader', 'careful'], roles) ?? [])]).toEqual(['read']);
  });
  it('does not count the tools that start agents', () => {
    expect(beyondCeiling(['main', 'reader'], 'plain', roles)).toEqual([]);
  });
  it('is lifted by an edge that a workflow is made of, by what its child has and no more', () => {
    expect(beyondCeiling(['main', 'careful'], 'handed', roles)).toEqual([]);
    expect(beyondCeiling(['main', 'careful', 'handed'], 'free', roles)).toEqual([]);
    const more = new Map(roles).set('more', roleNamed('more', { tools: ['fetch', 'shell'] }));
    expect(beyondCeiling(['main', 'careful', 'handed'], 'more', more)).toEqual(['fetch']);
    expect(beyondCeiling(['main', 'reader'], 'handed', roles)).toEqual(['shell']);
  });
});

describe('a crowd', () => {
  const crowd = { tasks: 0, max_tasks: 3, open: 0, fan_out: 2 };
  it('lets exactly max_tasks into a query', () => {
    const refused = [0, 1, 2, 3, 4].map(
      (tasks) => refuseCrowd('a', 'b', { ...crowd, tasks })?.rule,
    );
    expect(refused).toEqual([undefined, undefined, undefined, 'nodes', 'nodes']);
  });
  it('lets exactly fan_out tasks of a role be open under one agent; 0 is no limit', () => {
    const refused = [0, 1, 2, 3].map((open) => refuseCrowd('a', 'b', { ...crowd, open })?.message);
    expect(refused.slice(0, 2)).toEqual([undefined, undefined]);
    expect(refused[2]).toContain('2 of its b tasks are open and fan_out is 2');
    expect(refused[3]).toContain('3 of its b tasks are open');
    expect(refuseCrowd('a', 'b', { ...crowd, open: 99, fan_out: 0 })).toBeNull();
  });
});
