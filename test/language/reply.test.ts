import { describe, expect, it } from 'vitest';
import { driftOf, languageOfRequest } from '../../src/language/reply.ts';

const EN =
  'I have written the server and its tests. All of them pass, and the result is in the folder that you named. There is nothing left to do, but you should run the server once.';
const KO =
  '서버와 테스트를 작성했습니다. 모든 테스트가 통과했고 결과는 지정하신 폴더에 있습니다. 더 할 일은 없습니다.';
const HANS =
  '我已经写完了服务器和测试。所有测试都通过了，结果在您指定的文件夹里，没有其他问题需要处理。';
const HANT =
  '我已經寫完了伺服器和測試。所有測試都通過了，結果在您指定的資料夾裡，沒有其他問題需要處理。';

describe('the language of a request', () => {
  it.each([
    ['Build a small todo REST API with tests', 'en'],
    ['What is in the folder?', 'en'],
    ['할 일 REST API를 만들고 테스트와 README도 작성해줘', 'ko'],
    ['TypeScript로 REST API server를 만들어줘', 'ko'],
    ['做一个待办事项 REST API，写测试和 README', 'zh-Hans'],
    ['修復登入錯誤並寫測試', 'zh-Hant'],
    ['清理日志', 'zh'],
    ['Create hello.txt containing the word 안녕', 'en'],
    // What tells nothing, or asks for a language itself, has no verdict.
    ['12345', null],
    ['', null],
    ['`npm test`', null],
    ['SELECT * FROM users WHERE id = 1', null],
    ['Écris un petit programme pour moi', null],
    ['Напиши сервер', null],
    ['サーバーを作ってください', null],
    ['Translate the README into Korean', null],
    ['README를 영어로 작성해줘', null],
    ['请用英文写一份说明', null],
  ])('of %j is %s', (text, language) => {
    expect(languageOfRequest(text)).toBe(language);
  });
});

describe('a text in another language than was asked for', () => {
  it.each([
    ['ko', EN, 'en'],
    ['ko', HANS, 'zh-Hans'],
    ['zh-Hans', EN, 'en'],
    ['zh-Hant', KO, 'ko'],
    ['zh', KO, 'ko'],
    ['zh-Hant', HANS, 'zh-Hans'],
    ['zh-Hans', HANT, 'zh-Hant'],
    ['en', KO, 'ko'],
    ['en', HANS, 'zh-Hans'],
    ['ko', `# Result\n\n${EN}\n\n\`\`\`sh\nnpm test\n\`\`\``, 'en'],
    [
      'ko',
      EN.split('. ')
        .concat(EN.split('. '))
        .map((line) => `- ${line}`)
        .join('\n'),
      'en',
    ],
  ] as const)('%s: %#', (asked, text, found) => {
    expect(driftOf(asked, text)).toBe(found);
  });
});

describe('no text is blamed', () => {
  it.each([
    ['in the right language', 'ko', KO],
    ['in the right language', 'zh-Hans', HANS],
    ['in the right language', 'zh-Hant', HANT],
    ['in the right language', 'en', EN],
    ['in either script, when the request did not tell', 'zh', HANT],
    ['when nobody asked for a language', null, EN],
    ['that is short', 'ko', 'Done. All tests pass.'],
    ['that is code alone', 'ko', `\`\`\`ts\n// ${EN}\nexport const x = 1;\n\`\`\``],
    ['that is JSON', 'ko', JSON.stringify({ summary: EN })],
    ['that is a list of paths', 'ko', '- src/server.ts\n- test/server.test.ts\n- README.md'],
    ['that is a table', 'zh-Hans', `| file | what |\n| --- | --- |\n| a.md | ${EN} |`],
    ['that quotes at length', 'ko', `README의 내용은 다음과 같습니다.\n\n> ${EN}\n> ${EN}`],
    ['that shows what it was asked for', 'ko', `파일 내용을 그대로 보여 드립니다:\n\n${EN}`],
    [
      'that is technical and mixed',
      'ko',
      'Express server를 src/server.ts 에 작성했고 GET /todos, POST /todos, DELETE /todos/:id endpoint를 구현했습니다. npm test 결과: 12 passed, 0 failed. TypeScript strict mode, ESLint, Prettier config 포함.',
    ],
    [
      'that is mostly names',
      'zh-Hans',
      '已添加 Express、TypeScript、ESLint、Prettier、Vitest、Docker、GitHub Actions、PostgreSQL、Redis、Nginx、Kubernetes、Terraform 的配置。',
    ],
    ['that lists foreign titles', 'en', `These are the titles in the file:\n\n- ${KO}\n- ${HANS}`],
    [
      'that cites foreign words',
      'en',
      `${EN} The file holds the words 안녕하세요 여러분 반갑습니다.`,
    ],
    [
      'of log lines',
      'ko',
      `ERROR ECONNREFUSED 127.0.0.1:5432 at TCPConnectWrap.afterConnect\n`.repeat(20),
    ],
    ['with few characters of another script', 'zh-Hant', `${HANT}檔案名稱是「设计说明」。`],
  ] as const)('%s (%s, %#)', (_, asked, text) => {
    expect(driftOf(asked, text)).toBeNull();
  });
});
