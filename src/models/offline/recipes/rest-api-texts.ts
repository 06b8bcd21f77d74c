// README.md and PLAN.md of the REST API recipe, in three languages.
import { nounName, pick, type Topic } from '../recipe.ts';

const example = ({ noun }: Topic): string =>
  JSON.stringify(Object.fromEntries(noun.fields.map((f) => [f.name, f.samples[0]])));

const curl = (topic: Topic): string => {
  const at = `http://127.0.0.1:3000/${topic.noun.plural}`;
  const first = topic.noun.fields[0];
  const patch = JSON.stringify({ [first?.name ?? 'name']: first?.samples[1] });
  return [
    '```sh',
    `curl -X POST ${at} -H 'content-type: application/json' -d '${example(topic)}'`,
    `curl ${at}`,
    `curl ${at}/1`,
    `curl -X PATCH ${at}/1 -H 'content-type: application/json' -d '${patch}'`,
    `curl -X DELETE ${at}/1`,
    '```',
  ].join('\n');
};

const routes = ({ noun }: Topic): string => {
  const at = `/${noun.plural}`;
  return [
    '| | |',
    '| --- | --- |',
    `| GET ${at} | 200 |`,
    `| POST ${at} | 201, 400, 413 |`,
    `| GET ${at}/{id} | 200, 404 |`,
    `| PUT ${at}/{id} | 200, 400, 404 |`,
    `| PATCH ${at}/{id} | 200, 400, 404 |`,
    `| DELETE ${at}/{id} | 204, 404 |`,
  ].join('\n');
};

const fields = (topic: Topic): string => {
  const needed = pick(topic, 'required', '필수', '必填');
  const free = pick(topic, 'optional', '선택', '可选');
  return topic.noun.fields
    .map((f) => `- \`${f.name}\`: ${f.type}, ${f.required ? needed : free}`)
    .join('\n');
};

export const apiTitle = (topic: Topic): string => `${nounName(topic)} REST API`;

export function readmeFile(topic: Topic): string {
  const h = pick(
    topic,
    { start: 'Start', use: 'Examples', routes: 'Routes', fields: 'Fields', test: 'Tests' },
    { start: '시작', use: '예시', routes: '경로', fields: '필드', test: '테스트' },
    { start: '启动', use: '示例', routes: '接口', fields: '字段', test: '测试' },
  );
  const intro = pick(
    topic,
    'A small HTTP server with plain Node (20 or newer) and no dependencies.',
    'Node(20 이상)만으로 동작하는 작은 HTTP 서버입니다. 의존성은 없습니다.',
    '只用 Node（20 或更新）编写的小型 HTTP 服务，没有依赖。',
  );
  const options = pick(
    topic,
    '`PORT` (3000) and `HOST` (127.0.0.1) say where it listens. With `DATA_FILE=data.json` the data is kept in that file, else in memory.',
    '`PORT`(3000)와 `HOST`(127.0.0.1)로 주소를 정합니다. `DATA_FILE=data.json`을 주면 파일에, 아니면 메모리에 저장합니다.',
    '`PORT`（3000）和 `HOST`（127.0.0.1）决定监听地址。设置 `DATA_FILE=data.json` 时数据保存在文件中，否则在内存中。',
  );
  return `# ${apiTitle(topic)}

${intro}

## ${h.start}

\`\`\`sh
node server.mjs
\`\`\`

${options}

## ${h.use}

${curl(topic)}

## ${h.routes}

${routes(topic)}

## ${h.fields}

${fields(topic)}

## ${h.test}

\`\`\`sh
node --test
\`\`\`
`;
}

export function planFile(topic: Topic): string {
  const name = apiTitle(topic);
  return pick(
    topic,
    `# Plan: ${name}

## Parts

1. \`server.mjs\` (backend): list, create, read, replace, change and delete; validation; errors as JSON
2. \`server.test.mjs\` (coder): every route and every refusal, against the real server
3. \`README.md\`: how to start it, with curl examples
4. Review of all files

## Done when

- \`node --test\` passes
- wrong input is answered with 400 and a reason, never with 500
- the server has no dependencies and listens on 127.0.0.1 unless told otherwise
`,
    `# 계획: ${name}

## 작업

1. \`server.mjs\` (backend): 목록, 생성, 조회, 교체, 수정, 삭제와 입력 검증, JSON 오류
2. \`server.test.mjs\` (coder): 실제 서버에 대해 모든 경로와 거절을 확인
3. \`README.md\`: 시작 방법과 curl 예시
4. 전체 파일 검토

## 완료 조건

- \`node --test\` 통과
- 잘못된 입력에는 이유와 함께 400으로 답하고 500을 내지 않음
- 의존성이 없고, 따로 지정하지 않으면 127.0.0.1에서만 동작
`,
    `# 计划：${name}

## 工作

1. \`server.mjs\`（backend）：列表、创建、读取、替换、修改、删除，输入校验，JSON 错误
2. \`server.test.mjs\`（coder）：针对真实服务检查每个接口和每种拒绝
3. \`README.md\`：启动方法和 curl 示例
4. 审查全部文件

## 完成条件

- \`node --test\` 通过
- 错误输入得到 400 和原因，而不是 500
- 没有依赖，默认只监听 127.0.0.1
`,
  );
}
