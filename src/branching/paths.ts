// Which files a part of a request names, and whether it changes them. Pure; reads the user's words only.

const PATH =
  /(?<![\w/.@-])(?:~\/|\.{1,2}\/|\/)?(?:[\w@.-]+\/)*[\w@-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}(?![\w/])|(?<![\w/.@:-])(?:~\/|\.{1,2}\/|\/)?[\w@.-]+(?:\/[\w@.-]+)+\/?/g;
const URL = /\b\w+:\/\/\S+/g;
/** Names of things that look like files. */
const NO_FILE =
  /^(?:e\.g|i\.e|etc|node\.js|next\.js|vue\.js|three\.js|d3\.js|and\/or|client\/server|tcp\/ip|ci\/cd|input\/output|i\/o)$/i;
/** Parts that only look: they may share a file with each other. */
const LOOKS =
  /^\s*(?:please\s+)?(?:review|read|explain|summari[sz]e|describe|analy[sz]e|inspect|audit|check|compare|investigate|study|list|show|count|translate|审查|阅读|解释|总结|分析|检查|比较|統計|统计|審查|閱讀|解釋|總結|檢查|比較)|(?:검토|설명|요약|분석|점검|확인|비교)\S*\s*$/iu;

export type Touched = { paths: string[]; writes: boolean };

const normal = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');

export function touchedBy(part: string): Touched {
  const text = part.replace(URL, ' ');
  const found = [...text.matchAll(PATH)].map(([path]) => normal(path));
  return {
    paths: [...new Set(found.filter((path) => path !== '' && !NO_FILE.test(path)))],
    writes: !LOOKS.test(part),
  };
}

/** One is the other, or a folder around it; a bare name is any file of that name. */
function samePlace(a: string, b: string): boolean {
  if (a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)) return true;
  const bare = a.includes('/') ? b : a;
  const other = bare === a ? b : a;
  return !bare.includes('/') && other.endsWith(`/${bare}`);
}

/** Both name a place that at least one of them changes. */
export const collide = (a: Touched, b: Touched): boolean =>
  (a.writes || b.writes) && a.paths.some((path) => b.paths.some((other) => samePlace(path, other)));
