// Reads one Korean clause: masked text in, what it is out. Verbs stand at the end, so endings decide.
import { type Clause, type ClauseKind, NO_CLAUSE, trimEnd, type VerbKind } from './clause.ts';
import {
  ACTION_KO,
  ALSO_KO,
  CONSUME_KO,
  CREATE_KO,
  ORDER_KO,
  PREPARE_KO,
  RELATIONAL_KO,
  SHIP_KO,
} from './words-ko.ts';

/** What may come after the verb and says nothing. */
const TAIL = /[\s.,!?~…^:;)ㅎㅋㅠ]/;
const THANKS = /(?:감사합니다|감사해요|고마워요?|고맙습니다|제발)$/;
const REQUEST =
  /(?:줘|줘요|줄래|줄래요|주세요|주십시오|주시오|주라|달라|다오|줄 ?수 ?있(?:어|니|나|나요|을까|을까요|어요|습니까)|주실 ?(?:수 ?있(?:나요|을까요|어요|으신가요|습니까|을지요)|래요)|주시겠(?:어요|습니까)|주시면 (?:감사하겠습니다|좋겠(?:어요|습니다)|됩니다|돼요)|주면 (?:좋겠어|좋겠어요|돼|고맙겠어)|줬으면 (?:해|해요|좋겠어|좋겠어요|합니다)|주길 바랍니다|주기 바랍니다|기 바랍니다|길 바랍니다|바랍니다|바라요|바람|부탁|부탁해|부탁해요|부탁합니다|부탁드려요|부탁드립니다|부탁드릴게요|부탁이야|하자|합시다|하라|해라|(?:아|어|여|쳐|써|려|워|춰|꿔|켜|줘|려|내|봐)라|(?:하|치|쓰|리|들|꾸|추|우|기|내|보)자|(?:하|치|쓰|리|들|꾸|추|우|기|내|시|으)세요|십시오|시오|해|해요|해봐|해봐요|고쳐|바꿔|만들어|지워|써|줄여|늘려|옮겨|넣어|빼|골라|찾아|읽어|보여|알려|그려|세워|정해|야 ?(?:해|해요|합니다|돼|됩니다)|고 ?싶(?:어|어요|습니다)|면 ?(?:좋겠어|좋겠어요|좋겠습니다)|것|해둬|해놔)$/;
const ITEM = /(?:기|것|음|함)$/;
const NEGATIVE = /(?:지 ?(?:마|말|않|못)|금지|없이$|하면 ?안)/;
const QUESTION =
  /(?:나요|까요?|는가요?|은가요?|인가요?|ㄴ가요|니까|죠|지요|예요|에요|는지요|냐|니|가요|세요)\s*\?*$/;
const ASKING = /(?:왜|무엇|뭐|뭘|어떻게|어디|언제|누가|누구|어느|얼마|몇)/;
const CONDITION =
  /(?:으면|하면|되면|나면|이면|라면|다면|거든|경우|때(?:는|에는|마다)?|전에|전까지|동안|않으면|않는 한)(?=[\s,]|$)/;
const CONDITION_ADDS = /(?:가능하|필요하|괜찮으시|시간 ?되)(?:면|시면|다면)/g;
const LEANS =
  /(?<![가-힣])(?:그것|그걸|그거|그게|이것|이걸|이거|그들|이들|그 (?=[가-힣])|이 (?=[가-힣])|이를|그를|해당|위(?:의|에서| )|앞(?:의|서|에서)|방금|여기|거기|각각|둘 다|이에|그에|같은 (?:것|방식|내용)|결과(?:를|는|도|물|만|로|와)?(?![가-힣])|나머지|동일한|관련된?)/;
const ORDERED =
  /(?:[가-힣](?:은|ㄴ|한|된|친|쓴|든|운|린|난|춘|꾼) (?:뒤|후|다음)(?:에|로)?(?=[\s,])|(?:완료|수정|작성|배포|테스트) ?(?:후|뒤)(?:에)?(?=[\s,])|고 ?나서|고서(?=[\s,])|끝나는 대로|차례(?:대로|로)|순서대로|순차적으로|단계별로|이어서|먼저|우선(?=[\s,]))/;
/** An object: a word with its particle. */
const OBJECT =
  /(?<!\p{L})(?!(?:가을|마을|노을|고을)\s)[^\s,]*[\p{L}\p{N}\uE000)](?:을|를)(?=\s|$)/u;
const ALSO_OBJECT = /[\p{L}\p{N}\uE000)]{2,}도(?=\s|$)/u;
/** An object, its verb in the form that describes the next noun, and that noun. */
const INNER =
  /(?:을|를|이|가|에|로|서)\s+(?:[\p{L}\p{N}]+\s+)?[\p{L}\p{N}]*(?:는|던|할|될|한|된|ㄹ)\s+[\p{L}\p{N}\uE000]/u;
/** Says where, how or with whom, not what. */
const ADVERB = /(?:로|에|에게|에서|게|히|와|과|도록|처럼|만큼|부터|까지)$/;
/** A question inside, without its own subject: what it asks about was said before. */
const INNER_QUESTION = /^(?:왜|어떻게|언제|어디|얼마나)\s.*(?:는지|은지|한지|인지|운지|른지)\s/;
/** Nouns and other forms that end like the connective -고. */
const NO_CHAIN =
  /(?:라고|다고|냐고|자고|려고|말고|고고|(?<![가-힣])(?:광고|창고|보고|재고|경고|사고|최고|참고|권고|신고|공고|중고|예고|원고|금고|그리고|로고|태고|냉장고|차고|하고|이고|아니고|있고|없고))$/;

const last = (text: string): string => /\S+$/.exec(text.slice(-40))?.[0] ?? '';

/** The word at the end joins its clause to the next: 고치고, 수정하고. */
export const endsChained = (text: string): boolean => {
  const word = last(text.trimEnd());
  return /[가-힣]고$/.test(word) && !NO_CHAIN.test(word);
};

function verbOf(word: string): string {
  const action = ACTION_KO.find((noun) => word.startsWith(noun));
  if (action !== undefined) return action;
  return word.replace(/(?:어|아|여|해)?(?:줘|주).*$/, '').slice(0, 2) || word.slice(0, 2);
}

/** "해" ends adjectives as well (이상해): only an object or a noun of action makes it a request. */
function asksFor(text: string): boolean {
  if (!REQUEST.test(text)) return false;
  if (!/(?:^|[^줘])해요?$/.test(text) || /(?:야|부탁) ?해요?$/.test(text)) return true;
  return (
    OBJECT.test(text) || ALSO_OBJECT.test(text) || ACTION_KO.some((n) => last(text).startsWith(n))
  );
}

function kindOf(text: string, listed: boolean): ClauseKind {
  if (text === '') return 'plain';
  if (NEGATIVE.test(text)) return 'limit';
  if (CONDITION.test(text.replace(CONDITION_ADDS, ''))) return 'condition';
  if (asksFor(text))
    return ASKING.test(text) && /(?:세요|것)$/.test(text) && !/주세요$/.test(text)
      ? 'question'
      : 'request';
  if (endsChained(text)) return 'request';
  if (listed && (ITEM.test(text) || ACTION_KO.some((noun) => text.endsWith(noun))))
    return 'request';
  return QUESTION.test(text) || ASKING.test(text) ? 'question' : 'plain';
}

function doesOf(words: readonly string[], text: string): Set<VerbKind> {
  const kinds = new Set<VerbKind>();
  // "테스트를 실행해줘": the verb and the word before it tell it together.
  const end = words.slice(-2).join(' ');
  const verb = words.at(-1) ?? '';
  if (PREPARE_KO.test(verb)) kinds.add('prepare');
  if (CONSUME_KO.test(verb)) kinds.add('consume');
  if (CREATE_KO.test(verb) || CREATE_KO.test(end)) kinds.add('create');
  if (SHIP_KO.test(end) || /(?:는지|은지|인지) ?(?:다시 )?(?:확인|검증|테스트|점검)/.test(end))
    kinds.add('ship');
  if (/(?:알려|보여|말해|보고해)/.test(verb)) kinds.add('deliver');
  if (
    /(?:보고서|요약|표|차트|그래프|목록)(?:를|을)?\s*(?:작성|만들|정리|써|그려)/.test(text) &&
    words.length <= 3
  )
    kinds.add('consume');
  return kinds;
}

/** `listed`: an item of a list, where a noun of action is a request ("로그인 버그 수정"). */
export function readKorean(clause: string, listed = false): Clause {
  let text = clause.replace(/^[\s,.;:!?]+/, '');
  const order = ORDER_KO.exec(text)?.[0] ?? '';
  text = text.slice(order.length).trimStart();
  const also = ALSO_KO.exec(text)?.[0] ?? '';
  text = text.slice(also.length).replace(/^[\s,]+/, '');
  const lead = clause.length - text.length;
  text = trimEnd(trimEnd(text, TAIL).replace(THANKS, ''), TAIL);
  const kind = kindOf(text, listed);
  const words = text
    .slice(-400)
    .split(/\s+/)
    .filter((word) => word !== '');
  const verb = words.at(-1) ?? '';
  const objects = words.slice(0, -1);
  const light = /^(?:해|하|부탁|진행|줘)/.test(verb);
  // "문서 업데이트해줘", "문서 업데이트 부탁해": the noun before the action is its object.
  const [thing = '', action = ''] = light ? objects.slice(-2) : [objects.at(-1), verb];
  const acts =
    thing !== '' && !ADVERB.test(thing) && ACTION_KO.some((noun) => action.startsWith(noun));
  const hasObject = OBJECT.test(text) || ALSO_OBJECT.test(text) || acts;
  const chars = [...text.replace(/[\s\p{P}]/gu, '')].length;
  return {
    ...NO_CLAUSE,
    language: 'ko',
    kind,
    verb: kind === 'request' ? verbOf(light ? (objects.at(-1) ?? verb) : verb) : '',
    does: doesOf(words, text),
    object: objects.map((word) => word.replace(/(?:을|를|도|은|는|의|에|으로|로)$/, '')),
    leans: LEANS.test(text) || INNER_QUESTION.test(text),
    ordered: order !== '' || ORDERED.test(text),
    also: also !== '' || ALSO_OBJECT.test(text),
    hosts: INNER.test(text) ? 'loose' : 'no',
    nounlike: hasObject ? 'no' : 'likely',
    bare: objects.length === 1 && RELATIONAL_KO.test(objects[0] ?? ''),
    brief: objects.filter((word) => !ADVERB.test(word)).length < 2,
    short: words.length < 2 || chars < 4 || (light && objects.length < 2 && !listed),
    chained: endsChained(text),
    lead,
  };
}
