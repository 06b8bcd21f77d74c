// Simple checks of a file's text: known patterns, each with a reason. Pure; not a judgement of the design.
import type { Language } from '../../language/lexicon.ts';

type Check = { files: RegExp; bad: RegExp; said: Record<Language, string> };

const CODE = /\.(?:m?js|cjs|ts|tsx|jsx|py|sh|html)$/;
const JS = /\.(?:m?js|cjs|ts|tsx|jsx|html)$/;

// biome-ignore format: a table, one row a line
const CHECKS: readonly Check[] = [
  { files: JS, bad: /\beval\s*\(|new Function\s*\(/, said: { en: 'runs text as code (eval)', ko: '텍스트를 코드로 실행함 (eval)', zh: '把文本当作代码执行（eval）' } },
  { files: JS, bad: /\.(?:inner|outer)HTML\s*=|document\.write\s*\(/, said: { en: 'writes HTML from text (innerHTML): escape it or use textContent', ko: '텍스트를 HTML로 씀 (innerHTML): 이스케이프하거나 textContent 사용', zh: '把文本写成 HTML（innerHTML）：请转义或改用 textContent' } },
  { files: CODE, bad: /(?:password|passwd|secret|api_?key|token)\s*[:=]\s*['"][^'"\s]{6,}['"]/i, said: { en: 'looks like a secret in the source', ko: '소스에 비밀 값이 있는 것으로 보임', zh: '源码中疑似包含密钥' } },
  { files: JS, bad: /catch\s*(?:\([^)]*\))?\s*\{\s*\}/, said: { en: 'an error is swallowed (empty catch)', ko: '오류를 무시함 (빈 catch)', zh: '错误被吞掉（空的 catch）' } },
  { files: /\.py$/, bad: /except\s*:\s*(?:\n\s*)?pass/, said: { en: 'an error is swallowed (except: pass)', ko: '오류를 무시함 (except: pass)', zh: '错误被吞掉（except: pass）' } },
  { files: CODE, bad: /\b(?:TODO|FIXME|XXX)\b/, said: { en: 'unfinished: a TODO or FIXME', ko: '미완성: TODO 또는 FIXME', zh: '未完成：TODO 或 FIXME' } },
  { files: CODE, bad: /^(?:<{7}|>{7}) /m, said: { en: 'holds a merge conflict', ko: '병합 충돌 표시가 있음', zh: '含有合并冲突标记' } },
  { files: JS, bad: /(?:exec|execSync)\s*\(\s*[`'"][^)]*(?:\$\{|['"]\s*\+)/, said: { en: 'builds a shell command from text', ko: '텍스트로 셸 명령을 조립함', zh: '用文本拼接 shell 命令' } },
  { files: CODE, bad: /(?:SELECT\b[^;\n]*\bFROM|INSERT INTO|UPDATE\b[^;\n]*\bSET|DELETE FROM)\b[^;\n]*(?:\$\{|['"]\s*\+|%s['"]\s*%)/, said: { en: 'builds SQL from text: use parameters', ko: '텍스트로 SQL을 조립함: 매개변수를 사용', zh: '用文本拼接 SQL：请使用参数' } },
];

/** Text of a `read` result without its line numbers. */
export const withoutNumbers = (content: string): string =>
  content.replace(/^ *\d+\t/gm, '').replace(/\n\[[^\n]*\]$/, '');

export type Finding = { path: string; line: number; what: string };

export function findingsOf(path: string, text: string, language: Language): Finding[] {
  return CHECKS.flatMap(({ files, bad, said }) => {
    const at = files.test(path) ? text.search(bad) : -1;
    if (at < 0) return [];
    return [{ path, line: text.slice(0, at).split('\n').length, what: said[language] }];
  });
}

/** Findings about the whole: what a set of files lacks. */
export function missing(paths: readonly string[], language: Language): string[] {
  const code = paths.filter((p) => /\.(?:m?js|cjs|ts|py)$/.test(p));
  const lacks: string[] = [];
  if (code.length > 0 && !code.some((p) => /[._]test\.|test_/.test(p)))
    lacks.push({ en: 'there are no tests', ko: '테스트가 없음', zh: '没有测试' }[language]);
  if (code.length > 0 && !paths.some((p) => /readme/i.test(p)))
    lacks.push({ en: 'there is no README', ko: 'README가 없음', zh: '没有 README' }[language]);
  return lacks;
}
