// Finds the line of each key in a TOML text, which the parser does not tell. Reads only shapes, never values;
// on a text that does not parse it may be wrong, never endless.

const BARE = /^[A-Za-z0-9_-]+/;

/** `a."b.c" . d` → [a, b.c, d] and what follows; null when it is no key. */
export function readKey(text: string): { path: string[]; rest: string } | null {
  const path: string[] = [];
  let rest = text.trimStart();
  for (;;) {
    const quote = rest[0];
    if (quote === '"' || quote === "'") {
      const end = rest.indexOf(quote, 1);
      if (end < 0) return null;
      path.push(rest.slice(1, end));
      rest = rest.slice(end + 1);
    } else {
      const word = BARE.exec(rest)?.[0];
      if (!word) return null;
      path.push(word);
      rest = rest.slice(word.length);
    }
    rest = rest.trimStart();
    if (!rest.startsWith('.')) return { path, rest };
    rest = rest.slice(1).trimStart();
  }
}

/** What a value leaves open at the end of a line: brackets, and the quotes of a text over several lines. */
type Open = { depth: number; quotes: '"""' | "'''" | null };

function scan(line: string, open: Open): Open {
  let { depth, quotes } = open;
  for (let i = 0; i < line.length; i += 1) {
    if (quotes) {
      if (quotes === '"""' && line[i] === '\\') i += 1;
      else if (line.startsWith(quotes, i)) {
        i += 2;
        quotes = null;
      }
      continue;
    }
    const c = line[i];
    if (c === '#') break;
    if (line.startsWith('"""', i) || line.startsWith("'''", i)) {
      quotes = line.startsWith('"""', i) ? '"""' : "'''";
      i += 2;
    } else if (c === '"' || c === "'") {
      for (i += 1; i < line.length && line[i] !== c; i += 1)
        if (c === '"' && line[i] === '\\') i += 1;
    } else if (c === '[' || c === '{') depth += 1;
    else if (c === ']' || c === '}') depth = Math.max(0, depth - 1);
  }
  return { depth, quotes };
}

export type KeyLine = { path: string[]; line: number; kind: 'table' | 'key' };

/** Tables and keys in the order of the text. Keys inside inline tables count for the key that holds them. */
export function keyLines(text: string): KeyLine[] {
  const found: KeyLine[] = [];
  let table: string[] = [];
  let open: Open = { depth: 0, quotes: null };
  for (const [index, line] of text.split('\n').entries()) {
    if (open.depth > 0 || open.quotes) {
      open = scan(line, open);
      continue;
    }
    const header = /^\s*\[{1,2}(.*)/.exec(line);
    const key = readKey(header?.[1] ?? line);
    if (!key) continue;
    if (header) {
      table = key.path;
      found.push({ path: table, line: index + 1, kind: 'table' });
    } else if (key.rest.startsWith('=')) {
      found.push({ path: [...table, ...key.path], line: index + 1, kind: 'key' });
      open = scan(key.rest.slice(1), open);
    }
  }
  return found;
}

/** Line of a path: its own, else that of the nearest thing around it, else null. */
export function lineFinder(text: string): (path: readonly string[]) => number | null {
  const lines = new Map<string, number>();
  for (const { path, line } of keyLines(text))
    for (let n = path.length; n > 0; n -= 1) {
      const id = JSON.stringify(path.slice(0, n));
      if (!lines.has(id) || n === path.length) lines.set(id, lines.get(id) ?? line);
    }
  return (path) => {
    for (let n = path.length; n > 0; n -= 1) {
      const line = lines.get(JSON.stringify(path.slice(0, n)));
      if (line !== undefined) return line;
    }
    return null;
  };
}
