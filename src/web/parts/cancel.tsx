// Cancel, after saying what else stops with it.
import { useState } from 'preact/hooks';
import { post } from '../net/api.ts';
import type { TreeNode } from '../state/shapes.ts';
import { Act, Dialog } from './basics.tsx';

/** Everything below a node that would stop with it. */
export function openBelow(node: TreeNode | null): number {
  if (node === null) return 0;
  const open = (status: string): boolean =>
    ['created', 'assigned', 'running', 'blocked'].includes(status);
  return node.children.reduce((n, child) => n + (open(child.status) ? 1 : 0) + openBelow(child), 0);
}

export function CancelButton(props: { path: string; what: string; below: number }) {
  const [asking, ask] = useState(false);
  const also =
    props.below > 0 ? `, and ${props.below} nested task${props.below > 1 ? 's' : ''}` : '';
  return (
    <>
      <button type="button" class="danger" data-key="c" onClick={() => ask(true)}>
        Cancel
      </button>
      {asking && (
        <Dialog title={`Cancel ${props.what}?`} onClose={() => ask(false)}>
          <p>
            It stops {props.what}
            {also}: model calls and commands under it end. What it has written stays.
          </p>
          <div class="buttons">
            <button type="button" onClick={() => ask(false)}>
              Let it run
            </button>
            <Act
              label={`Cancel ${props.what}${also}`}
              kind="danger"
              run={async () => {
                await post(props.path, { reason: 'cancelled on the page' });
                ask(false);
              }}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}
