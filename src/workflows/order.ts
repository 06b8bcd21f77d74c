// What the boxes of plan.md and task.md depend on: numbers that exist and lead to no circle. Pure.
import type { Box } from './boxes.ts';
import { type Finding, fieldsOf } from './document.ts';

const NONE = /^(none|nothing|-|–|없음|无|無)\.?$/i;

/** Numbers after "Depends:"; null: it does not say. */
export function dependsOn(box: Box): string[] | null {
  const field = fieldsOf(box.body).get('depends');
  if (!field || field.value === '') return null;
  if (NONE.test(field.value)) return [];
  return field.value.match(/\d+(?:\.\d+)*/g) ?? null;
}

/** Numbers that a box waits for, directly or through others. */
export function allBefore(number: string, boxes: readonly Box[]): Set<string> {
  const before = new Set<string>();
  const look = (at: string): void => {
    const box = boxes.find((b) => b.number === at);
    for (const next of box ? (dependsOn(box) ?? []) : [])
      if (!before.has(next)) {
        before.add(next);
        look(next);
      }
  };
  look(number);
  return before;
}

export function lintOrder(boxes: readonly Box[]): Finding[] {
  const numbers = boxes.map((b) => b.number);
  return boxes.flatMap((box, i) => {
    const found: string[] = [];
    if (numbers.indexOf(box.number) !== i) found.push(`task ${box.number} is there twice`);
    const on = dependsOn(box);
    if (on === null) found.push(`task ${box.number} has no "Depends: none" or numbers of tasks`);
    for (const number of on ?? [])
      if (!numbers.includes(number))
        found.push(`task ${box.number} depends on ${number}, which does not exist`);
    if (allBefore(box.number, boxes).has(box.number))
      found.push(`task ${box.number} depends on itself, through a circle`);
    return found.map((message) => ({ line: box.line, message }));
  });
}
