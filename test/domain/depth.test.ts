import { describe, expect, it } from 'vitest';
import { canSpawn, childOf, depthStatus, refuseSpawn } from '../../src/domain/depth.ts';

describe('depth guard', () => {
  it('lets depths 0 to max_depth - 1 spawn and makes max_depth a leaf', () => {
    const seen = [0, 1, 2, 3].map((depth) => [
      canSpawn({ depth, max_depth: 2 }),
      depthStatus({ depth, max_depth: 2 }),
    ]);
    expect(seen).toEqual([
      [true, 'DEPTH_0'],
      [true, 'DEPTH_1'],
      [false, 'LEAF_NODE'],
      [false, 'LEAF_NODE'],
    ]);
    expect(childOf({ depth: 1, max_depth: 2 })).toEqual({ depth: 2, max_depth: 2 });
  });

  const ask = { at: { depth: 0, max_depth: 2 }, may_start: ['coder'], known: ['coder', 'planner'] };
  it('names the known roles when the role is unknown', () => {
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
  it('takes names as they are: other case is another role', () => {
    expect(refuseSpawn({ ...ask, parent: 'main', child: 'Coder' })?.rule).toBe('unknown_role');
    expect(refuseSpawn({ ...ask, parent: 'main', child: 'coder' })).toBeNull();
  });
});
