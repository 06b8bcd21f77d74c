// Text that the request is about, not the request: what follows "translate this text:" is never read as an order.
import { MASK } from '../../language/mask.ts';

const ABOUT = [
  /\b(?:this|these|the following|following|below|above)\b[^.:\n]{0,40}\b(?:text|sentences?|paragraphs?|code|snippet|emails?|messages?|article|phrases?|passage|quotes?|strings?|errors?|log|titles?|prompt|function|query|poem|letter|comment|description|content|json|sql|instructions?|words?|story|statement)\b[^.:\n]{0,20}:/,
  /\b(?:translate|summari[sz]e|proofread|paraphrase|rephrase|spellcheck|classify|repeat|pronounce|shorten|reword|explain|say|type|print|echo)\b[^.:\n]{0,80}:/,
  /(?:다음|아래|이)\s*(?:문장|글|텍스트|코드|메시지|이메일|내용|문단|단락|오류|구절)[^:\n]{0,40}:/,
  /(?:번역|요약|교정|설명|해석|풀이)[^:\n.]{0,20}:/,
  /(?:翻译|总结|概括|解释|润色|改写|校对|说明|复述)[^:\n。]{0,40}:/,
  /(?:这段|下面|以下|下列|这句|这篇)(?:的)?(?:话|文字|文本|代码|句子|文章|内容|邮件|段落)[^:\n。]{0,30}:/,
];
/** A list of tasks has a colon before it as well. */
const NOT_ABOUT = /^\s*\n?\s*(?:[-*•]|\d{1,2}[.)、]|[①-⑳])\s/;

/** `read`: folded and masked. */
export function hideMaterial(read: string): string {
  const ends = ABOUT.flatMap((pattern) => {
    const found = pattern.exec(read);
    return found ? [found.index + found[0].length] : [];
  });
  if (ends.length === 0) return read;
  const end = Math.min(...ends);
  const after = read.slice(end);
  if (after.trim() === '' || NOT_ABOUT.test(after)) return read;
  return read.slice(0, end) + MASK.repeat(after.length);
}
