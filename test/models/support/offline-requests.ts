// Everyday requests, as people type them, and what the offline rules make of each. The tests run every one of them;
// docs/offline.md lists them.

export type Expected = {
  /** Roles that start, in waves. */
  waves: string[][];
  /** Tools that are used, in order. */
  tools: string[];
  /** In the answer. */
  says?: string;
  /** Files with their whole text. */
  leaves?: Record<string, string>;
  /** Files and a part of their text. */
  holds?: Record<string, string>;
  /** Files and folders that are there, or no longer. */
  there?: string[];
  gone?: string[];
};

/** The working folder that they are asked in. */
export const OFFLINE_FOLDER: Readonly<Record<string, string>> = {
  'notes.txt': 'first line\nthe needle is here\n',
  'README.md': '# Shop\n\nHello from the readme.\n',
  'app/color.ts': 'export const color = "red";\neval("1");\n',
};

// biome-ignore format: a table
export const OFFLINE_REQUESTS: readonly (readonly [request: string, expected: Expected])[] = [
  // create
  ['Create hello.txt with "Hello there"', { waves: [['coder']], tools: ['write'], says: '`hello.txt`', leaves: { 'hello.txt': 'Hello there\n' } }],
  ['Please make a file docs/a.md containing good morning.', { waves: [['coder']], tools: ['write'], leaves: { 'docs/a.md': 'good morning\n' } }],
  ['hello.txt 파일을 만들고 내용은 "안녕하세요"로 해줘', { waves: [['coder']], tools: ['write'], leaves: { 'hello.txt': '안녕하세요\n' } }],
  ['创建hello.txt，内容是“你好”', { waves: [['coder']], tools: ['write'], leaves: { 'hello.txt': '你好\n' } }],
  ['Create an empty file todo.md', { waves: [['coder']], tools: ['write'], leaves: { 'todo.md': '' } }],
  ['Write this to run.py:\n```python\nprint(1)\nprint(2)\n```', { waves: [['coder']], tools: ['write'], leaves: { 'run.py': 'print(1)\nprint(2)\n' } }],
  ['Create a folder called assets', { waves: [['coder']], tools: ['shell'], there: ['assets'] }],
  ['reports 폴더를 만들어줘', { waves: [['coder']], tools: ['shell'], there: ['reports'] }],
  ['创建文件夹 assets', { waves: [['coder']], tools: ['shell'], there: ['assets'] }],
  ['빈 파일 todo.md 만들어줘', { waves: [['coder']], tools: ['write'], leaves: { 'todo.md': '' } }],
  ['新建一个空文件 todo.md', { waves: [['coder']], tools: ['write'], leaves: { 'todo.md': '' } }],
  // read
  ['Show me notes.txt', { waves: [['coder']], tools: ['read'], says: 'first line\nthe needle is here' }],
  ['README 읽어줘', { waves: [['coder']], tools: ['read'], says: 'Hello from the readme.' }],
  ['读取 notes.txt', { waves: [['coder']], tools: ['read'], says: 'the needle is here' }],
  ['What is in notes.txt?', { waves: [['coder']], tools: ['read'], says: 'first line' }],
  // change
  ['Append "third line" to notes.txt', { waves: [['coder']], tools: ['shell'], leaves: { 'notes.txt': 'first line\nthe needle is here\nthird line\n' } }],
  ['notes.txt에 "끝" 추가해줘', { waves: [['coder']], tools: ['shell'], leaves: { 'notes.txt': 'first line\nthe needle is here\n끝\n' } }],
  ['在notes.txt中追加“结束”', { waves: [['coder']], tools: ['shell'], leaves: { 'notes.txt': 'first line\nthe needle is here\n结束\n' } }],
  ['Replace "red" with "blue" in app/color.ts', { waves: [['coder']], tools: ['edit'], holds: { 'app/color.ts': '"blue"' } }],
  ['app/color.ts에서 "red"를 "green"으로 바꿔줘', { waves: [['coder']], tools: ['edit'], holds: { 'app/color.ts': '"green"' } }],
  ['把 app/color.ts 中的“red”替换为“blue”', { waves: [['coder']], tools: ['edit'], holds: { 'app/color.ts': '"blue"' } }],
  ['Rename notes.txt to memo.txt', { waves: [['coder']], tools: ['shell'], there: ['memo.txt'] }],
  ['notes.txt를 memo.txt로 이름 변경해줘', { waves: [['coder']], tools: ['shell'], there: ['memo.txt'], gone: ['notes.txt'] }],
  ['把 notes.txt 重命名为 memo.txt', { waves: [['coder']], tools: ['shell'], there: ['memo.txt'], gone: ['notes.txt'] }],
  ['Move notes.txt to app', { waves: [['coder']], tools: ['shell'], there: ['app/notes.txt'], gone: ['notes.txt'] }],
  ['notes.txt를 app 폴더로 옮겨줘', { waves: [['coder']], tools: ['shell'], there: ['app/notes.txt'] }],
  ['把 notes.txt 移动到 app 文件夹', { waves: [['coder']], tools: ['shell'], there: ['app/notes.txt'] }],
  ['复制 notes.txt 到 copy.txt', { waves: [['coder']], tools: ['shell'], holds: { 'copy.txt': 'needle' } }],
  ['Delete notes.txt', { waves: [['coder']], tools: ['shell'], gone: ['notes.txt'] }],
  ['notes.txt 삭제해줘', { waves: [['coder']], tools: ['shell'], gone: ['notes.txt'] }],
  ['删除 notes.txt', { waves: [['coder']], tools: ['shell'], gone: ['notes.txt'] }],
  ['Fix the typo "needle" to "noodle" in notes.txt', { waves: [['coder']], tools: ['edit'], holds: { 'notes.txt': 'noodle' } }],
  // look
  ['List the files', { waves: [['researcher']], tools: ['list'], says: 'notes.txt' }],
  ['파일 목록 보여줘', { waves: [['researcher']], tools: ['list'], says: 'README.md' }],
  ['列出文件', { waves: [['researcher']], tools: ['list'], says: 'app/' }],
  ['Find all .ts files', { waves: [['researcher']], tools: ['glob'], says: 'app/color.ts' }],
  ['마크다운 파일을 찾아줘', { waves: [['researcher']], tools: ['glob'], says: 'README.md' }],
  ['Search for "needle"', { waves: [['researcher']], tools: ['grep'], says: 'notes.txt' }],
  ['"needle"을 검색해줘', { waves: [['researcher']], tools: ['grep'], says: 'notes.txt' }],
  ['搜索“needle”', { waves: [['researcher']], tools: ['grep'], says: 'notes.txt' }],
  ['How many lines are in notes.txt?', { waves: [['coder']], tools: ['shell'], says: '2' }],
  ['统计 notes.txt 的行数', { waves: [['coder']], tools: ['shell'], says: 'notes.txt' }],
  ['notes.txt 몇 줄이야?', { waves: [['coder']], tools: ['shell'], says: '2' }],
  ['Summarize this project', { waves: [['researcher']], tools: ['glob'], says: '.ts: 1' }],
  ['이 폴더를 요약해줘', { waves: [['researcher']], tools: ['glob'], says: '.md: 1' }],
  ['总结一下这个项目', { waves: [['researcher']], tools: ['glob'], says: 'app/color.ts' }],
  // run
  ['Run `echo $((20+3))`', { waves: [['coder']], tools: ['shell'], says: '23' }],
  ['Run the command: node -p 6*7', { waves: [['coder']], tools: ['shell'], says: '42' }],
  ['`echo 안녕` 명령을 실행해줘', { waves: [['coder']], tools: ['shell'], says: '안녕' }],
  ['运行 `echo 你好`', { waves: [['coder']], tools: ['shell'], says: '你好' }],
  ['테스트 실행해줘', { waves: [['coder']], tools: ['glob', 'shell'], says: '`node --test`' }],
  ['运行测试', { waves: [['coder']], tools: ['glob', 'shell'], says: '`node --test`' }],
  // judge, plan
  ['Review the code', { waves: [['reviewer']], tools: ['glob', 'read', 'read', 'read'], says: 'app/color.ts:2' }],
  ['코드 검토해줘', { waves: [['reviewer']], tools: ['glob', 'read', 'read', 'read'], says: 'eval' }],
  ['审查代码', { waves: [['reviewer']], tools: ['glob', 'read', 'read', 'read'], says: 'eval' }],
  ['Write a plan for the new login page with two-factor codes', { waves: [['planner']], tools: ['list', 'write'], says: '`PLAN.md`', holds: { 'PLAN.md': 'two-factor' } }],
  ['결제 시스템을 설계해줘', { waves: [['architect']], tools: ['list', 'write'], holds: { 'ARCHITECTURE.md': '결제' } }],
  ['Design a chat service', { waves: [['architect']], tools: ['list', 'write'], holds: { 'ARCHITECTURE.md': 'chat' } }],
  ['设计一个聊天服务', { waves: [['architect']], tools: ['list', 'write'], holds: { 'ARCHITECTURE.md': '聊天' } }],
  ['로그인 페이지 계획을 세워줘', { waves: [['planner']], tools: ['list', 'write'], holds: { 'PLAN.md': '로그인' } }],
  ['为登录页面写一个计划', { waves: [['planner']], tools: ['list', 'write'], holds: { 'PLAN.md': '登录' } }],
  // arithmetic needs nobody
  ['What is 12 * (3 + 4)?', { waves: [], tools: [], says: '= 84' }],
  ['2의 10제곱 말고 2^10은 얼마야', { waves: [], tools: [], says: 'TROUPE_MODEL' }],
  ['计算 7/2', { waves: [], tools: [], says: '= 3.5' }],
];
