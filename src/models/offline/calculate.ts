// Arithmetic that a request spells out: + - * / % ^ and brackets. Never evaluates code.

const ASKS =
  /^(?:please\s+)?(?:compute|calculate|what(?:'s| is)|how much is|evaluate|solve)?\s*([\d\s.()+*/%^×÷,-]+?)\s*(?:=|for me|please|[는은를을]?\s*(?:얼마|계산|몇|뭐)\S*(?:\s\S+)*|等于多少|是多少|等于几)?\s*[?？.。!=]*$/i;
const ZH = /^(?:请|帮我)?(?:计算|算一下|算)\s*/;

/** The expression when the request is nothing but arithmetic (two operands at least), else null. */
export function expressionIn(request: string): string | null {
  const found = ASKS.exec(request.trim().replace(ZH, ''))?.[1]?.trim();
  if (found === undefined || !/\d\s*\)*\s*[+*/%^×÷-]\s*[-(]*\s*\d/.test(found)) return null;
  return /^\d{1,4}(?:[-/.]\d{1,4})+$/.test(found) && /-.*-|\/.*\//.test(found) ? null : found;
}

type Cursor = { text: string; at: number };
const peek = (c: Cursor): string => c.text[c.at] ?? '';

function atom(c: Cursor): number {
  if (peek(c) === '-') {
    c.at += 1;
    return -atom(c);
  }
  if (peek(c) === '(') {
    c.at += 1;
    const value = sum(c);
    if (peek(c) !== ')') return Number.NaN;
    c.at += 1;
    return value;
  }
  const found = /^\d+(?:\.\d+)?/.exec(c.text.slice(c.at))?.[0];
  if (found === undefined) return Number.NaN;
  c.at += found.length;
  return Number(found);
}
function power(c: Cursor): number {
  const base = atom(c);
  if (peek(c) !== '^') return base;
  c.at += 1;
  return base ** power(c);
}
function product(c: Cursor): number {
  let value = power(c);
  for (let op = peek(c); op === '*' || op === '/' || op === '%'; op = peek(c)) {
    c.at += 1;
    const right = power(c);
    value = op === '*' ? value * right : op === '/' ? value / right : value % right;
  }
  return value;
}
function sum(c: Cursor): number {
  let value = product(c);
  for (let op = peek(c); op === '+' || op === '-'; op = peek(c)) {
    c.at += 1;
    const right = product(c);
    value = op === '+' ? value + right : value - right;
  }
  return value;
}

/** The value as text, or null when it has none. */
export function calculate(expression: string): string | null {
  const text = expression.replace(/[\s,]/g, '').replaceAll('×', '*').replaceAll('÷', '/');
  if (text.length > 200) return null;
  const cursor = { text, at: 0 };
  const value = sum(cursor);
  if (cursor.at !== text.length || !Number.isFinite(value)) return null;
  return String(Number(value.toPrecision(15)));
}
