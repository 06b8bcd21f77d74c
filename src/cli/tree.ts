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

function label(node: TreeNode): string {
  const name = textOf(node, 'label', 'role', 'kind');
  const waiting = textOf(node, 'waiting');
  const status = textOf(node, 'status', 'state') + (waiting === '' ? '' : ` (${waiting})`);
  return [name, status, cleanLine(node.id)].filter(Boolean).join('  ');
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
