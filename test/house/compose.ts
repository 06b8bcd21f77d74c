// Reads the part of YAML that docker-compose.yml is written in: maps and lists by indentation, one value a line.
// Throws on anything else, so that a test never passes on a file it has misread.

export type Node = string | null | Node[] | { [key: string]: Node };
type Line = { indent: number; text: string; at: number };

const scalar = (text: string): Node => {
  if (/^(".*"|\[.*\])$/.test(text)) return JSON.parse(text) as Node;
  if (/^['[{&*!|>]/.test(text)) throw new Error(`not understood: ${text}`);
  return text;
};

function linesOf(yaml: string): Line[] {
  return yaml.split('\n').flatMap((raw, at) => {
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) return [];
    return [{ indent: raw.length - raw.trimStart().length, text, at: at + 1 }];
  });
}

export function parseCompose(yaml: string): Node {
  const lines = linesOf(yaml);
  let next = 0;
  const block = (indent: number): Node => {
    const list: Node[] = [];
    const map: { [key: string]: Node } = {};
    for (let line = lines[next]; line && line.indent === indent; line = lines[next]) {
      next += 1;
      const item = /^- (.+)$/.exec(line.text);
      const pair = /^([\w.-]+):(?: (.+))?$/.exec(line.text);
      if (item?.[1]) list.push(scalar(item[1]));
      else if (pair?.[1]) {
        const below = lines[next];
        const deeper = pair[2] === undefined && below !== undefined && below.indent > indent;
        map[pair[1]] = deeper ? block(below.indent) : pair[2] ? scalar(pair[2]) : null;
      } else throw new Error(`line ${line.at} is not understood: ${line.text}`);
    }
    const after = lines[next];
    if (after && after.indent > indent) throw new Error(`line ${after.at}: odd indentation`);
    return list.length > 0 ? list : map;
  };
  return block(0);
}
