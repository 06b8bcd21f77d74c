// Every sentence that the offline rules say, in three languages. Data only.
import type { Language } from '../../language/lexicon.ts';

const en = {
  files: 'Files',
  none: 'none',
  roles: 'Roles used',
  writing: (names: string) => `Writing ${names}`,
  wrote: (names: string) => `Wrote ${names}.`,
  kept: (names: string) =>
    `${names} exists and was not made by these rules: it was left as it is, and nothing was written in its place.`,
  notWritten: (name: string, why: string) => `${name} could not be written: ${why}`,
  checking: (command: string) => `Running ${command}`,
  checkOk: (command: string) => `\`${command}\` succeeded.`,
  checkBad: (command: string) => `\`${command}\` FAILED:`,
  tests: (pass: number, fail: number) => `Tests: ${pass} passed, ${fail} failed.`,
  looking: 'Looking at the working folder',
  reading: (names: string) => `Reading ${names}`,
  doing: (what: string) => `Doing: ${what}`,
  done: (what: string) => `Done: ${what}`,
  failed: (what: string, why: string) => `This did not work: ${what}\n\n${why}`,
  contentOf: (path: string) => `Content of ${path}:`,
  output: (command: string) => `Output of \`${command}\`:`,
  found: (what: string) => `Found for ${what}:`,
  inFolder: (path: string) => (path === '.' ? 'The working folder holds:' : `${path} holds:`),
  reviewed: (files: number, findings: number) =>
    `Simple checks of ${files} file(s): ${findings === 0 ? 'no findings' : `${findings} finding(s)`}.`,
  nothingToReview: 'There is no text file to review.',
  limits: 'These are fixed checks for known patterns, not a judgement of the design.',
  worth: (score: number) =>
    `Picked by its name: ${score >= 120 ? 'a plan, specification or decision' : score >= 90 ? 'a contract or readme' : score >= 80 ? 'a test' : 'source code'}.`,
  notDone: 'Not done, because rules cannot do it:',
  starting: (names: string) => `Starting ${names}`,
  waiting: (names: string) => `Waiting for ${names}`,
  ended: (done: number, all: number) => `${done} of ${all} task(s) completed.`,
  taskFailed: (role: string, why: string) => `${role}: FAILED – ${why}`,
  skipped: (role: string, needs: string) =>
    `${role}: not started, because ${needs} did not succeed.`,
  decline:
    'I can only follow rules here, and this request needs a language model. I can create, read, search and change files, run commands, and build small things such as a REST API, a web page or a command line tool.',
  howTo:
    'To use a model, set one of these and start the server again: OPENAI_API_KEY, ANTHROPIC_API_KEY, OLLAMA_BASE_URL (a local Ollama), or TROUPE_MODEL=provider:model.',
};
type Sentences = typeof en;

const ko: Sentences = {
  files: '파일',
  none: '없음',
  roles: '사용한 역할',
  writing: (names) => `${names} 작성 중`,
  wrote: (names) => `${names} 작성 완료.`,
  kept: (names) =>
    `${names}이(가) 이미 있고 이 규칙이 만든 파일이 아니므로 그대로 두었습니다. 대신 쓴 것은 없습니다.`,
  notWritten: (name, why) => `${name}을(를) 쓸 수 없습니다: ${why}`,
  checking: (command) => `${command} 실행 중`,
  checkOk: (command) => `\`${command}\` 성공.`,
  checkBad: (command) => `\`${command}\` 실패:`,
  tests: (pass, fail) => `테스트: ${pass}개 통과, ${fail}개 실패.`,
  looking: '작업 폴더 확인 중',
  reading: (names) => `${names} 읽는 중`,
  doing: (what) => `진행: ${what}`,
  done: (what) => `완료: ${what}`,
  failed: (what, why) => `실패했습니다: ${what}\n\n${why}`,
  contentOf: (path) => `${path}의 내용:`,
  output: (command) => `\`${command}\`의 출력:`,
  found: (what) => `${what} 검색 결과:`,
  inFolder: (path) => (path === '.' ? '작업 폴더의 내용:' : `${path}의 내용:`),
  reviewed: (files, findings) =>
    `파일 ${files}개를 간단히 검사: ${findings === 0 ? '발견 사항 없음' : `발견 사항 ${findings}건`}.`,
  nothingToReview: '검토할 텍스트 파일이 없습니다.',
  limits: '알려진 패턴에 대한 고정된 검사이며 설계에 대한 판단이 아닙니다.',
  worth: (score) =>
    `이름으로 선택: ${score >= 120 ? '계획, 사양 또는 결정' : score >= 90 ? '계약 또는 README' : score >= 80 ? '테스트' : '소스 코드'}.`,
  notDone: '규칙으로는 할 수 없어 하지 않은 것:',
  starting: (names) => `시작: ${names}`,
  waiting: (names) => `대기: ${names}`,
  ended: (done, all) => `작업 ${all}개 중 ${done}개 완료.`,
  taskFailed: (role, why) => `${role}: 실패 – ${why}`,
  skipped: (role, needs) => `${role}: ${needs}이(가) 성공하지 못해 시작하지 않았습니다.`,
  decline:
    '지금은 정해진 규칙만 따를 수 있으며, 이 요청에는 언어 모델이 필요합니다. 파일 생성·읽기·검색·수정, 명령 실행, 그리고 REST API, 웹 페이지, 명령줄 도구 같은 작은 것을 만들 수 있습니다.',
  howTo:
    '모델을 쓰려면 다음 중 하나를 설정하고 서버를 다시 시작하세요: OPENAI_API_KEY, ANTHROPIC_API_KEY, OLLAMA_BASE_URL(로컬 Ollama), 또는 TROUPE_MODEL=provider:model.',
};

const zh: Sentences = {
  files: '文件',
  none: '无',
  roles: '使用的角色',
  writing: (names) => `正在编写 ${names}`,
  wrote: (names) => `已写入 ${names}。`,
  kept: (names) => `${names} 已存在且不是由这些规则生成的：保持原样，没有写入替代内容。`,
  notWritten: (name, why) => `无法写入 ${name}：${why}`,
  checking: (command) => `正在运行 ${command}`,
  checkOk: (command) => `\`${command}\` 成功。`,
  checkBad: (command) => `\`${command}\` 失败：`,
  tests: (pass, fail) => `测试：${pass} 个通过，${fail} 个失败。`,
  looking: '正在查看工作文件夹',
  reading: (names) => `正在读取 ${names}`,
  doing: (what) => `进行中：${what}`,
  done: (what) => `完成：${what}`,
  failed: (what, why) => `没有成功：${what}\n\n${why}`,
  contentOf: (path) => `${path} 的内容：`,
  output: (command) => `\`${command}\` 的输出：`,
  found: (what) => `${what} 的查找结果：`,
  inFolder: (path) => (path === '.' ? '工作文件夹的内容：' : `${path} 的内容：`),
  reviewed: (files, findings) =>
    `对 ${files} 个文件做了简单检查：${findings === 0 ? '没有发现问题' : `发现 ${findings} 个问题`}。`,
  nothingToReview: '没有可审查的文本文件。',
  limits: '这些只是针对已知模式的固定检查，不是对设计的评价。',
  worth: (score) =>
    `按名称选出：${score >= 120 ? '计划、规格或决策' : score >= 90 ? '接口约定或 README' : score >= 80 ? '测试' : '源代码'}。`,
  notDone: '规则无法完成、因此没有做的部分：',
  starting: (names) => `启动：${names}`,
  waiting: (names) => `等待：${names}`,
  ended: (done, all) => `${all} 个任务中完成了 ${done} 个。`,
  taskFailed: (role, why) => `${role}：失败 – ${why}`,
  skipped: (role, needs) => `${role}：由于 ${needs} 没有成功，未启动。`,
  decline:
    '这里只能按照固定规则工作，而这个请求需要语言模型。可以创建、读取、搜索和修改文件，运行命令，以及搭建 REST API、网页或命令行工具之类的小东西。',
  howTo:
    '要使用模型，请设置以下之一并重启服务：OPENAI_API_KEY、ANTHROPIC_API_KEY、OLLAMA_BASE_URL（本地 Ollama）或 TROUPE_MODEL=provider:model。',
};

const SAY: Record<Language, Sentences> = { en, ko, zh };
export const say = (language: Language): Sentences => SAY[language];
