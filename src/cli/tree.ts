// A query's tree as lines with branches drawn. Pure. A node is open: it shows what it has.
import { cleanLine, cut, displayWidth } from './clean.ts';

export type TreeNode = {
  id: string;
  kind: string;
  children?: TreeNode[];
  [more: string]: unknown;
};

const textOf = (node: TreeNode, ...names: string[]): string => {
  for (const name of names) {
    const value = node[name];
    if (typeof value === 'string' && value !== '') return cleanLine(value);
  }
  return '';
};

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** `12345 tokens 0.0123 USD 34%`: what the node itself has spent, and its share of the tree. */
function spendOf(node: TreeNode): string {
  const { tokens, cost_usd, share } = (node.spend ?? {}) as Record<string, unknown>;
  if (numberOf(tokens) === 0) return '';
  const usd = typeof cost_usd === 'number' ? ` ${cost_usd.toFixed(4)} USD` : '';
  return `${tokens} tokens${usd} ${Math.round(numberOf(share) * 100)}%`;
}

/** `7 steps`, and with those below: `7 of 31 steps`. */
function stepsOf(node: TreeNode): string {
  const own = numberOf(node.iterations);
  const all = numberOf(node.subtree_iterations);
  if (all === 0) return '';
  return all === own ? `${own} steps` : `${own} of ${all} steps`;
}

function label(node: TreeNode): string {
  const name = textOf(node, 'label', 'role', 'kind');
  const waiting = textOf(node, 'waiting');
  const status = textOf(node, 'status', 'state') + (waiting === '' ? '' : ` (${waiting})`);
  return [name, status, cleanLine(node.id), stepsOf(node), spendOf(node)]
    .filter(Boolean)
    .join('  ');
}

/** `columns` null: descriptions stay whole. */
export function treeLines(root: TreeNode, columns: number | null): string[] {
  const lines: string[] = [];
  function add(node: TreeNode, before: string, below: string): void {
    const head = `${before}${label(node)}`;
    const about = textOf(node, 'description', 'input');
    const room =
      columns === null ? Number.POSITIVE_INFINITY : Math.max(12, columns - displayWidth(head) - 2);
    lines.push(about === '' ? head : `${head}  ${cut(about, room)}`);
    const children = node.children ?? [];
    children.forEach((child, i) => {
      const last = i === children.length - 1;
      add(child, `${below}${last ? '└─ ' : '├─ '}`, `${below}${last ? '   ' : '│  '}`);
    });
  }
  add(root, '', '');
  return lines;
}
