// A CRUD REST API of any noun: plan, server, tests, README, review.
import { pick, type Recipe } from '../recipe.ts';
import { serverFile } from './rest-api-server.ts';
import { testFile } from './rest-api-tests.ts';
import { apiTitle, planFile, readmeFile } from './rest-api-texts.ts';
import { reviewPart } from './review-part.ts';

const ASKS = [
  /\b(?:rest(?:ful)?|crud)\b.{0,12}\b(?:api|server|service)\b/i,
  /\b(?:build|make|create|write|implement|scaffold|develop)\b.{0,40}\bapi\b/i,
  /(?:rest|crud)?\s*api\s*(?:서버)?\s*(?:를|을)?\s*(?:만들|작성|구현|개발)/i,
  /(?:做|写|寫|建|创建|創建|实现|實現|开发|開發|搭建|编写).{0,20}(?:api|接口服务)/i,
];

export const restApi: Recipe = {
  id: 'rest-api',
  match: (request) => (ASKS.some((words) => words.test(request)) ? '' : null),
  parts: [
    {
      id: 'plan',
      role: 'planner',
      after: [],
      when: 'several',
      task: (t) =>
        pick(
          t,
          `Write PLAN.md for the ${apiTitle(t)}: parts, order and when it is done.`,
          `${apiTitle(t)}의 PLAN.md를 작성하세요: 작업, 순서, 완료 조건.`,
          `为 ${apiTitle(t)} 编写 PLAN.md：工作、顺序和完成条件。`,
        ),
      files: (t) => [{ path: 'PLAN.md', text: planFile(t) }],
      check: () => null,
    },
    {
      id: 'server',
      role: 'backend',
      after: [],
      when: null,
      task: (t) =>
        pick(
          t,
          `Write server.mjs: the ${apiTitle(t)} with node:http, validation and JSON errors.`,
          `server.mjs를 작성하세요: node:http로 만든 ${apiTitle(t)}, 입력 검증과 JSON 오류 포함.`,
          `编写 server.mjs：用 node:http 实现 ${apiTitle(t)}，包含输入校验和 JSON 错误。`,
        ),
      files: (t) => [{ path: 'server.mjs', text: serverFile(t.noun) }],
      check: () => 'node --check server.mjs',
    },
    {
      id: 'tests',
      role: 'coder',
      after: ['server'],
      when: 'tests',
      task: (t) =>
        pick(
          t,
          'Write server.test.mjs with node:test for server.mjs and run it.',
          'server.mjs를 위한 server.test.mjs를 node:test로 작성하고 실행하세요.',
          '用 node:test 为 server.mjs 编写 server.test.mjs 并运行。',
        ),
      files: (t) => [{ path: 'server.test.mjs', text: testFile(t.noun) }],
      check: () => 'node --test server.test.mjs',
    },
    {
      id: 'readme',
      role: 'coder',
      after: ['server'],
      when: 'readme',
      task: (t) =>
        pick(
          t,
          `Write README.md for the ${apiTitle(t)} with curl examples.`,
          `${apiTitle(t)}의 README.md를 curl 예시와 함께 작성하세요.`,
          `为 ${apiTitle(t)} 编写带 curl 示例的 README.md。`,
        ),
      files: (t) => [{ path: 'README.md', text: readmeFile(t) }],
      check: () => null,
    },
    reviewPart(['plan', 'server', 'tests', 'readme']),
  ],
};
