// Small well-known programs in JavaScript, Python or shell: written, then run.
import { pick, type Recipe, type Topic } from '../recipe.ts';

type Snippet = { id: string; words: RegExp; js: string; py: string; sh?: string };

const SNIPPETS: readonly Snippet[] = [
  {
    id: 'hello',
    words: /\bhello,?\s+world\b|헬로\s?월드|你好，?世界/i,
    js: `console.log('Hello, world!');\n`,
    py: `print('Hello, world!')\n`,
    sh: `echo 'Hello, world!'\n`,
  },
  {
    id: 'fizzbuzz',
    words: /fizz\s?-?buzz|피즈\s?버즈/i,
    js: `for (let n = 1; n <= 100; n++)
  console.log((n % 3 ? '' : 'Fizz') + (n % 5 ? '' : 'Buzz') || n);\n`,
    py: `for n in range(1, 101):
    print(('' if n % 3 else 'Fizz') + ('' if n % 5 else 'Buzz') or n)\n`,
  },
  {
    id: 'fibonacci',
    words: /fibonacci|피보나치|斐波那契|费波那契/i,
    js: `const count = Number(process.argv[2] ?? 20);
let [a, b] = [0n, 1n];
for (let i = 0; i < count; i++) {
  console.log(String(a));
  [a, b] = [b, a + b];
}\n`,
    py: `import sys

count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
a, b = 0, 1
for _ in range(count):
    print(a)
    a, b = b, a + b\n`,
  },
  {
    id: 'primes',
    words: /\bprimes?\b|\bprime numbers?\b|소수|质数|素数/i,
    js: `const limit = Number(process.argv[2] ?? 100);
const composite = new Set();
for (let n = 2; n <= limit; n++) {
  if (composite.has(n)) continue;
  console.log(n);
  for (let m = n * n; m <= limit; m += n) composite.add(m);
}\n`,
    py: `import sys

limit = int(sys.argv[1]) if len(sys.argv) > 1 else 100
composite = set()
for n in range(2, limit + 1):
    if n not in composite:
        print(n)
        composite.update(range(n * n, limit + 1, n))\n`,
  },
  {
    id: 'guess',
    words: /guess(?:ing)?\b.{0,12}\bnumber|number.{0,3}guess|숫자\s?맞히기|숫자\s?맞추기|猜数字/i,
    js: `import { createInterface } from 'node:readline/promises';

const secret = 1 + Math.floor(Math.random() * 100);
const lines = createInterface({ input: process.stdin });
console.log('Guess a number from 1 to 100.');
for await (const line of lines) {
  const guess = Number(line);
  if (guess === secret) break;
  console.log(guess < secret ? 'higher' : 'lower');
}
console.log('It was ' + secret + '.');
lines.close();\n`,
    py: `import random
import sys

secret = random.randint(1, 100)
print('Guess a number from 1 to 100.')
for line in sys.stdin:
    guess = int(line)
    if guess == secret:
        break
    print('higher' if guess < secret else 'lower')
print(f'It was {secret}.')\n`,
  },
];

const MAKES =
  /\b(?:write|make|create|build|generate|code|implement|give)\b|만들|작성|짜\s?줘|구현|写|編|编写|做|创建|生成|实现/i;
const PYTHON = /\bpython\b|파이썬|\.py\b/i;
const SHELL = /\b(?:bash|shell)\b|셸|쉘|\.sh\b|脚本命令/i;

const parts = (variant: string) => {
  const [id = '', ending = 'mjs'] = variant.split('.');
  const snippet = SNIPPETS.find((s) => s.id === id) ?? SNIPPETS[0];
  const text = ending === 'py' ? snippet?.py : ending === 'sh' ? snippet?.sh : snippet?.js;
  const run = { py: 'python3', sh: 'sh' }[ending] ?? 'node';
  return { path: `${id}.${ending}`, text: text ?? '', run: `${run} ${id}.${ending} </dev/null` };
};

export const snippet: Recipe = {
  id: 'snippet',
  match(request) {
    const found = SNIPPETS.find((s) => s.words.test(request));
    if (!found || !MAKES.test(request)) return null;
    if (PYTHON.test(request)) return `${found.id}.py`;
    return SHELL.test(request) && found.sh ? `${found.id}.sh` : `${found.id}.mjs`;
  },
  parts: [
    {
      id: 'program',
      role: 'coder',
      after: [],
      when: null,
      task: (t: Topic) => {
        const { path } = parts(t.variant);
        return pick(
          t,
          `Write ${path} and run it.`,
          `${path}를 작성하고 실행하세요.`,
          `编写并运行 ${path}。`,
        );
      },
      files: (t) => {
        const { path, text } = parts(t.variant);
        return [{ path, text }];
      },
      check: (t) => parts(t.variant).run,
    },
  ],
};
