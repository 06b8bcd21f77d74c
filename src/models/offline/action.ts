// The things that can be done for a request without understanding more of it than its words. A table: the first
// row whose words and slots fit is taken. Pure.
import { maskText } from '../../language/mask.ts';
import { calculate, expressionIn } from './calculate.ts';
import { shellQuote } from './shell-quote.ts';
import { type Slots, slotsOf } from './slots.ts';

export type Action =
  | { do: 'create'; path: string; content: string }
  | { do: 'append'; path: string; content: string }
  | { do: 'replace'; path: string; old: string; fresh: string }
  | { do: 'read'; path: string }
  | { do: 'command'; command: string }
  | { do: 'list'; path: string }
  | { do: 'find'; pattern: string }
  | { do: 'search'; text: string; path: string }
  | { do: 'fetch'; url: string }
  | { do: 'summary'; path: string }
  | { do: 'value'; expression: string; value: string }
  | { do: 'document'; kind: 'plan' | 'architecture' | 'mobile' }
  | { do: 'tests' | 'readme' | 'review' | 'debug' | 'remember' };

export type Row = {
  role: string;
  words: RegExp;
  make(slots: Slots, request: string): Action | null;
};

const file = (s: Slots): string | null => s.paths.find((p) => !p.endsWith('/')) ?? null;
const folder = (s: Slots): string => s.paths.find((p) => p.endsWith('/')) ?? '.';
/** The whole request is to delete one file, ¤: nothing is deleted for a word in any other sentence. */
const DELETE = [
  /^(?:please\s+|(?:can|could|would|will) you\s+(?:please\s+)?|(?:and\s+)?then\s+)?(?:delete|remove)\s+(?:the\s+)?(?:file\s+)?¤(?:\s+file)?(?:,?\s*please)?\s*[.!?]?$/i,
  /^(?:파일\s*)?¤\s*(?:파일)?(?:을|를)?\s*(?:좀\s*)?(?:(?:삭제|제거)(?:해|하십시오|하세요|하라)?|지워|지우세요)\s*(?:줘|주세요|주십시오|줄래|주실래요)?요?\s*[.!?]?$/,
  /^(?:请|請|帮我|幫我|麻烦)?(?:删除|刪除|移除|删掉|刪掉)\s*(?:文件|檔案)?\s*¤\s*(?:文件|檔案)?(?:吧|一下)?\s*[。.！!]?$/,
  /^(?:请|請|帮我|幫我|麻烦)?把\s*(?:文件|檔案)?\s*¤\s*(?:文件|檔案)?\s*(?:删除|刪除|移除|删掉|刪掉)(?:吧|一下|掉)?\s*[。.！!]?$/,
];
const isDelete = (request: string, path: string): boolean => {
  const named = request
    .trim()
    .replace(new RegExp(`["'\`“”「」]?${escaped(path)}["'\`“”「」]?`), '¤');
  return DELETE.some((whole) => whole.test(named));
};
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
/** Asks about something, or forbids it: nothing is changed for it. */
const NOT_A_WISH =
  /\b(?:never|nobody|do not|don['’]?t|must not|mustn['’]?t|should not|shouldn['’]?t|cannot|can['’]?t|avoid|without|unless|except)\b|^\s*(?:should|may|shall|how (?:do|can|to|would|should)|why|what (?:if|happens|would)|is it|are there)\b|지\s?(?:마|말|않)|안\s?(?:돼|되)|면\s*(?:안|어떻|어떨|뭐)|어떻게|할까|해도\s*(?:돼|되|괜찮)|不要|不能|不得|不许|不許|切勿|勿|(?:^|[，,。])\s*(?:别|別)|如何|怎么|怎麼|怎样|怎樣|会怎|會怎|能不能|可不可以|是否|是不是/i;
const CHANGES: ReadonlySet<Action['do']> = new Set(['create', 'append', 'replace', 'command']);
const READS_ONLY = /^(?:wc|git (?:status|log|diff|branch)) /;
const changes = (action: Action): boolean =>
  CHANGES.has(action.do) && !(action.do === 'command' && READS_ONLY.test(`${action.command} `));

/** Words without quotes are taken for the text only where nothing else can be meant. */
const TAIL = [
  /\b(?:containing|that says|saying|reading)\b(?:\s+(?:the\s+)?(?:content|contents|text|words?|line)\b)?\s*:?\s+(.+?)[.\s]*$/is,
  /\bwith\s+(?:the\s+)?(?:content|contents|text|words?|line)\b\s*:?\s+(.+?)[.\s]*$/is,
  /(?:内容|文字|文本)(?:是|为|：|:)\s*(.+?)[。.\s]*$/s,
  /(?:내용은|내용:)\s*(.+?)(?:\s*(?:로|으로)\s*(?:해|작성|만들).*|[.\s]*)$/s,
];
/** A request that names a file and nothing to put into it. */
const BARE =
  /^(?:please\s+)?(?:create|make|touch|add)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:text\s+|markdown\s+)?(?:file\s+)?(?:called\s+|named\s+)?\S+[.!]?$|^\S+\s*(?:파일)?(?:을|를)?\s*(?:만들어|생성해)\s*줘\S*$|^(?:请|帮我)?(?:创建|新建)(?:一个)?(?:文件)?\s*[\w./-]+(?:文件)?$/i;
const EMPTY = /\bempty\b|\bblank\b|빈\s|空的?/i;

function content(s: Slots, request: string): string | null {
  if (s.block !== null) return s.block;
  const quoted = s.quotes.at(-1) ?? s.code.at(-1);
  if (quoted !== undefined) return `${quoted}\n`;
  if (EMPTY.test(request)) return '';
  const tail = TAIL.map((t) => t.exec(request)?.[1]).find((found) => found !== undefined);
  // "the contents of a.txt" is a place, not a text.
  return tail === undefined || /^(?:of|from)\b/i.test(tail) ? null : `${tail}\n`;
}

const COMMAND =
  /\b(?:run|execute)\b(?:\s+(?:the\s+)?command)?:?\s+((?:node|npm|npx|ls|cat|python3?|git|echo|pwd|date|wc|make|sh|bash|head|tail|sort|uname|df|du|env|whoami|which)\b[^\n]*?)[.。]?$/i;
const EXTENSIONS: readonly [RegExp, string][] = [
  [/typescript|타입스크립트/i, '*.{ts,tsx}'],
  [/javascript|자바스크립트/i, '*.{js,mjs,cjs,jsx}'],
  [/python|파이썬/i, '*.py'],
  [/markdown|마크다운/i, '*.md'],
  [/\bjson\b/i, '*.json'],
  [/\bimages?\b|이미지|图片/i, '*.{png,jpg,jpeg,gif,svg,webp}'],
  [/\btest files?\b|테스트 파일|测试文件/i, '*{.,_}test.*'],
];
function pattern(request: string): string | null {
  const star = /\*+[\w*./{},-]+/.exec(request)?.[0];
  if (star) return star.includes('/') ? star : `**/${star}`;
  const dotted = /(?<![\w.])\.([a-z]\w{0,5})\b/i.exec(request)?.[1];
  if (dotted) return `**/*.${dotted}`;
  const named = EXTENSIONS.find(([words]) => words.test(request))?.[1];
  return named ? `**/${named}` : null;
}
/** Where something is moved to, when the folder is named without a slash: with one, so that no file gets its name. */
const TARGETS = [
  /\b(?:in)?to\s+(?:the\s+)?(?:folder\s+|directory\s+)?([\w-]+)(?:\s+(?:folder|directory))?[.!\s]*$/i,
  /([\w-]+)\s*(?:폴더|디렉터리|디렉토리)?(?:으로|로|에)\s*(?:옮|이동|복사)/,
  /到\s*(?:文件夹|目录)?\s*([\w-]+)\s*(?:文件夹|目录)?[。.\s]*$/,
];
function folderIn(request: string): string | null {
  const name = TARGETS.map((target) => target.exec(request)?.[1]).find((n) => n !== undefined);
  return name === undefined ? null : `${name}/`;
}
const FILES = /\bfiles?\b|\bfolders?\b|\bdirector(?:y|ies)\b|파일|폴더|디렉|文件|目录|資料夾/i;
const PLACE =
  /\bfolder|\bproject|\bdirectory|\brepo|\bworkspace|\bcodebase|폴더|프로젝트|디렉|저장소|目录|项目|文件夹|仓库/i;

// biome-ignore format: a table, one row a line where it fits
export const ACTIONS: readonly Row[] = [
  { role: 'main', words: /\d/, make: (_, request) => {
    const expression = expressionIn(request);
    const value = expression === null ? null : calculate(expression);
    return expression === null || value === null ? null : { do: 'value', expression, value };
  } },
  { role: 'researcher', words: /\b(?:fetch|download|open|get|read|show)\b|가져|열어|읽어|다운|获取|抓取|打开|下载|读/i, make: (s) => (s.url ? { do: 'fetch', url: s.url } : null) },
  { role: 'coder', words: /\breplace\b|\btypo\b|오타|\bchange\b|바꿔|바꾸|교체|치환|수정|替换|替換|改成|改为|换成/i, make: (s) => {
    const path = file(s);
    const [old, fresh] = [...s.quotes, ...s.code];
    return path && old !== undefined && fresh !== undefined ? { do: 'replace', path, old, fresh } : null;
  } },
  { role: 'coder', words: /\bappend\b|\badd\b.*\b(?:to|in|at)\b|추가|덧붙|追加|添加|加到/i, make: (s, request) => {
    const path = file(s);
    const text = content(s, request);
    return path && text ? { do: 'append', path, content: text } : null;
  } },
  { role: 'coder', words: /\bgit (?:status|log|diff|branch)\b/i, make: (_, request) => {
    const command = /\bgit (?:status|log|diff|branch)\b/i.exec(request)?.[0].toLowerCase();
    return command ? { do: 'command', command: command === 'git log' ? 'git log --oneline -n 20' : command } : null;
  } },
  { role: 'coder', words: /\b(?:run|execute)\b|실행|돌려|运行|執行|执行|跑/i, make: (s, request) => {
    const bare = COMMAND.exec(request)?.[1];
    const command = s.code[0] ?? bare ?? s.block?.trim() ?? s.quotes[0];
    if (command) return { do: 'command', command };
    return /\btests?\b|테스트|测试|測試/i.test(request) ? { do: 'tests' } : null;
  } },
  { role: 'coder', words: /\b(?:create|make|write|save|put|new)\b|만들|생성|작성|저장|써\s?줘|적어|创建|創建|新建|写|寫|建立|保存|生成/i, make: (s, request) => {
    const path = file(s);
    const text = path ? content(s, request) : null;
    if (path && text !== null) return { do: 'create', path, content: text };
    return path && BARE.test(request.trim()) ? { do: 'create', path, content: '' } : null;
  } },
  { role: 'coder', words: /\b(?:create|make|new)\b.*\b(?:folder|directory)|(?:폴더|디렉\S*).*(?:만들|생성)|(?:创建|新建|建).*(?:文件夹|目录)/i, make: (s, request) => {
    const name = s.paths[0] ?? s.quotes[0] ?? s.code[0] ?? /\b(?:called|named)\s+([\w.-]+)/i.exec(request)?.[1] ?? /([\w.-]+)\s*(?:이?라는\s*)?(?:폴더|디렉)/.exec(request)?.[1] ?? /(?:文件夹|目录)\s*([\w.-]+)/.exec(request)?.[1];
    return name ? { do: 'command', command: `mkdir -p -- ${shellQuote(name)}` } : null;
  } },
  { role: 'coder', words: /\b(?:rename|move|copy|duplicate)\b|이름.*(?:바꿔|변경)|옮겨|이동|복사|重命名|移动|移動|复制|複製|改名/i, make: (s, request) => {
    const [from, named] = s.paths;
    const renamed = /\brename\b|이름|重命名|改名/i.test(request);
    const to = named ?? (renamed ? null : folderIn(request));
    const program = /\b(?:copy|duplicate)\b|복사|复制|複製/i.test(request) ? 'cp -rn' : 'mv -n';
    if (!from || !to) return null;
    // What is there already is kept, and that is no success.
    const [a, b] = [shellQuote(from), shellQuote(to)];
    const done = to.endsWith('/') ? '' : `[ ! -e ${b} ] || { echo "${to.replace(/["$`\\]/g, '')} is there already" >&2; exit 1; }; `;
    return { do: 'command', command: `${done}${program} -- ${a} ${b}` };
  } },
  { role: 'coder', words: /\b(?:delete|remove)\b|삭제|지워|删除|刪除|删掉|刪掉|移除/i, make: (s, request) => {
    const path = file(s);
    return path && s.paths.length === 1 && isDelete(request, path) ? { do: 'command', command: `rm -- ${shellQuote(path)}` } : null;
  } },
  { role: 'coder', words: /\bhow many\b|\bcount\b|\bnumber of\b|몇\s|줄\s?수|단어\s?수|글자\s?수|多少|统计|統計|行数|字数/i, make: (s) => {
    const path = file(s);
    return path ? { do: 'command', command: `wc -l -w -c -- ${shellQuote(path)}` } : null;
  } },
  { role: 'researcher', words: /\b(?:search|grep|find|look for|where|occurrences?|containing|contain|mentions?)\b|찾아|검색|어디|查找|搜索|搜尋|搜|找/i, make: (s) => {
    const text = s.quotes[0] ?? s.code[0];
    return text ? { do: 'search', text, path: s.paths[0] ?? '.' } : null;
  } },
  { role: 'reviewer', words: /\breview\b|\binspect\b|\bfind (?:the )?bugs\b|\bcheck (?:the |my |all )?(?:code|files)\b|\bcode quality\b|검토|리뷰|审查|審查|评审|检查代码/i, make: (_, request) => (/\bPRs?\b|pull request|#\d/i.test(request) ? null : { do: 'review' }) },
  { role: 'debugger', words: /\bdebug\b|\bwhy\b.*\bfail|\bfailing tests?\b|디버그|디버깅|원인|调试|調試|排查/i, make: () => ({ do: 'debug' }) },
  { role: 'coder', words: /\b(?:read|show|print|open|display|cat|view|see|what(?:'s| is) in)\b|보여|읽어|열어|출력|내용|读|讀|显示|顯示|查看|打开|看看|输出/i, make: (s, request) => {
    const path = file(s) ?? (/\breadme\b/i.test(request) ? 'README.md' : null);
    return path ? { do: 'read', path } : null;
  } },
  { role: 'researcher', words: /\b(?:find|list|show|which|all)\b|찾아|보여|목록|查找|找|列出|显示|所有/i, make: (_, request) => {
    const found = FILES.test(request) ? pattern(request) : null;
    return found ? { do: 'find', pattern: found } : null;
  } },
  { role: 'researcher', words: /\b(?:summar\w+|overview|describe|explain)\b|요약|설명|정리|总结|總結|概括|概述|介绍/i, make: (s, request) => {
    if (PLACE.test(request) || s.paths.some((p) => p.endsWith('/'))) return { do: 'summary', path: folder(s) };
    return null;
  } },
  { role: 'researcher', words: /\b(?:list|show|what|which|see|ls)\b|목록|보여|뭐가|무슨|어떤|列出|显示|顯示|有哪些|有什么|查看/i, make: (s, request) => (FILES.test(request) ? { do: 'list', path: folder(s) } : null) },
  { role: 'coder', words: /\breadme\b/i, make: () => ({ do: 'readme' }) },
  { role: 'architect', words: /\barchitect|\bsystem design\b|\bdesign\b.*\b(?:system|service|module|app|platform)|설계|아키텍처|架构|架構|系统设计|设计.*(?:系统|服务|模块|应用|平台)/i, make: () => ({ do: 'document', kind: 'architecture' }) },
  { role: 'mobile', words: /\b(?:mobile|ios|android)\b|모바일|移动端|手机/i, make: () => ({ do: 'document', kind: 'mobile' }) },
  { role: 'planner', words: /\b(?:plan|roadmap|break down|prd)\b|계획|기획|로드맵|计划|規劃|规划|路线图/i, make: () => ({ do: 'document', kind: 'plan' }) },
  { role: 'remember', words: /\b(?:remember|memory|memori[sz]e)\b|기억|记住|记忆|記住/i, make: () => ({ do: 'remember' }) },
];

export type Found = { role: string; action: Action };

/** What the request asks for, and the role that does it; null: it cannot be done by rules. */
export function actionOf(request: string): Found | null {
  const slots = slotsOf(request);
  // A word inside a file name or a quote (run.py, "delete") asks for nothing.
  const prose = maskText(request);
  for (const row of ACTIONS) {
    if (!row.words.test(row.role === 'main' ? request : prose)) continue;
    const action = row.make(slots, request);
    if (action && !(changes(action) && NOT_A_WISH.test(prose))) return { role: row.role, action };
  }
  return null;
}

/** What a role does with a request that names nothing more exact. */
export const BY_ROLE: Readonly<Record<string, Action>> = {
  planner: { do: 'document', kind: 'plan' },
  architect: { do: 'document', kind: 'architecture' },
  mobile: { do: 'document', kind: 'mobile' },
  reviewer: { do: 'review' },
  debugger: { do: 'debug' },
  remember: { do: 'remember' },
};
