// Summarises a CSV file: a small program that reads it, written and run.

import { pick, type Recipe } from '../recipe.ts';
import { shellQuote } from '../shell-quote.ts';

const PROGRAM = `import { readFileSync } from 'node:fs';

const [path] = process.argv.slice(2);
if (!path) {
  console.error('usage: node csv-summary.mjs <file.csv>');
  process.exit(1);
}

// RFC 4180: quoted fields may hold commas, quotes ("") and line breaks.
function parse(text) {
  const rows = [[]];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',' || c === '\\n') {
      rows.at(-1).push(field);
      field = '';
      if (c === '\\n') rows.push([]);
    } else if (c !== '\\r') field += c;
  }
  if (field !== '' || rows.at(-1).length > 0) rows.at(-1).push(field);
  return rows.filter((row) => row.length > 1 || (row[0] ?? '') !== '');
}

const [header = [], ...rows] = parse(readFileSync(path, 'utf8').replace(/^\\uFEFF/, ''));
console.log(rows.length + ' rows, ' + header.length + ' columns');
header.forEach((name, column) => {
  const values = rows.map((row) => row[column] ?? '').filter((value) => value !== '');
  const numbers = values.map(Number).filter(Number.isFinite);
  const empty = rows.length - values.length;
  let line = name + ': ' + values.length + ' values, ' + new Set(values).size + ' different';
  if (empty > 0) line += ', ' + empty + ' empty';
  if (numbers.length > 0 && numbers.length === values.length) {
    const sum = numbers.reduce((a, b) => a + b, 0);
    const least = numbers.reduce((a, b) => Math.min(a, b));
    const most = numbers.reduce((a, b) => Math.max(a, b));
    line += '; min ' + least + ', max ' + most + ', mean ' + +(sum / numbers.length).toFixed(4) + ', sum ' + +sum.toFixed(4);
  }
  console.log(line);
});
`;

const ASKS =
  /\b(?:summar\w+|analy\w+|describe|statistics|stats|overview)\b|요약|분석|통계|总结|汇总|分析|统计|概括/i;

export const csvSummary: Recipe = {
  id: 'csv-summary',
  match: (request) => (ASKS.test(request) ? (/[\w./-]+\.csv\b/i.exec(request)?.[0] ?? null) : null),
  parts: [
    {
      id: 'summary',
      role: 'coder',
      after: [],
      when: null,
      task: (t) =>
        pick(
          t,
          `Summarise ${t.variant}: write csv-summary.mjs and run it.`,
          `${t.variant}를 요약하세요: csv-summary.mjs를 작성하고 실행합니다.`,
          `汇总 ${t.variant}：编写 csv-summary.mjs 并运行。`,
        ),
      files: () => [{ path: 'csv-summary.mjs', text: PROGRAM }],
      check: (t) => `node csv-summary.mjs ${shellQuote(t.variant)}`,
    },
  ],
};
