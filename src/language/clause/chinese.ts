// Reads one Chinese clause: folded (simplified), masked text in, what it is out. Verbs stand at the front, no spaces.
import { MASK } from '../mask.ts';
import { type Clause, type ClauseKind, NO_CLAUSE, trimEnd, type VerbKind } from './clause.ts';
import {
  ALSO_ZH,
  CONSUME_ZH,
  CREATE_ZH,
  GENERIC_ZH,
  HEADS_ZH,
  JOIN_ZH,
  LIMIT_ZH,
  NOUN_TAIL_ZH,
  NOUNLIKE_ZH,
  ORDER_ZH,
  POLITE_ZH,
  PREPARE_ZH,
  RELATIONAL_ZH,
  SHIP_ZH,
  THING_ZH,
  VERBS_ZH,
} from './words-zh.ts';

const CONDITION =
  /(?:如果|若是|假如|要是|倘若|若|只要|只有|除非|一旦|万一|当.{1,30}?时|的话|的时候|时[，,]|无论|不管|因为|由于|既然)/;
const QUESTION =
  /(?:如何|怎么|怎样|为什么|为何|为啥|什么|是否|是不是|有没有|哪|多少|谁|几个|何时|吗|呢|能否|可否)/;
const POLITE_QUESTION =
  /^(?:请问)?(?:你|您|麻烦你?|请)?(?:能不能|可不可以|可以|能|可否|能否|是否可以|愿意)/;
const STATEMENT =
  /(?:很|太|非常|十分|已经|正在|总是|经常|有点|比较(?=[快慢大小多少高低难容])|过于|不稳定|失败了|了[。.！!]?$|不[好对行够能]|存在|是(?!否))/;
const LEANS =
  /(?:它|其(?!他|它|中|余|次|实)|该(?=\S)|此(?!外|后|时|刻)|(?:这|那)(?!么)|结果|上述|以上|前者|后者|相应|对应|刚才|同样|各自|两者|他们|她们|之前的|剩下的|新建的|生成的|修改后|更新后)/;
const ORDERED =
  /(?:^先|^首先|完成后|之后|以后(?!端)|(?<![前今往背])后(?:再|[，,]|(?=部署|发布|提交|运行|执行|测试|通知|重启|上线|合并|推送|更新|删除|保存|写|打印|输出))|按(?:照)?(?:以下|下列|下面)?(?:的)?(?:顺序|步骤)|依次|逐步|一步(?:一|步)|逐个|随后|接着|然后)/;
/** Words that open an inner clause. */
const HOST =
  /(?:来(?![自源回往])(?=\S{2})|用来|用于|以便|从而|使得|使其|让(?=\S)|能够|能(?=\S{2})|可以|会(?=\S{2})|负责|专门)/;
const MEASURE = /一?[个個段份款种套条台只件](?=\S{2})/g;
const LATIN_VERB = /^[a-z]{2,}/;

type Verb = { verb: string; rest: string } | null;

/** The longest verb of the lexicon at the beginning. */
function verbAt(text: string): Verb {
  for (let length = 4; length >= 1; length--) {
    const verb = text.slice(0, length);
    if (verb.length === length && VERBS_ZH.has(verb)) return { verb, rest: text.slice(length) };
  }
  return null;
}

/** "把 A 改成 B", "为 A 写 B": the verb comes after what it works on. */
function carried(text: string): Verb {
  if (!/^(?:把|将|为|给|对|用|在|从|根据|针对|按|向|替|帮|基于|通过|参考)/.test(text)) return null;
  const reach = text.slice(1, 40);
  for (let at = 1; at < reach.length; at++) {
    const found = verbAt(reach.slice(at));
    if (found && (found.verb.length > 1 || /^[写改加删译画做设换翻移]/.test(found.verb)))
      return { verb: found.verb, rest: reach.slice(0, at) + found.rest };
  }
  return null;
}

const isVerbPlain = (verb: string): boolean => !NOUNLIKE_ZH.has(verb);

/** "写一个读取文件…", "设计读取文件…的工具": the object begins with a verb of its own. */
function hosts(rest: string): Clause['hosts'] {
  if (HOST.test(rest) || QUESTION.test(rest)) return 'firm';
  const inner = verbAt(rest);
  if (inner && inner.verb.length > 1 && isVerbPlain(inner.verb)) return 'firm';
  for (const { index, 0: measure } of rest.slice(0, 400).matchAll(MEASURE)) {
    const after = verbAt(rest.slice(index + measure.length));
    if (after && after.verb.length > 1 && (isVerbPlain(after.verb) || !THING_ZH.test(after.rest)))
      return 'firm';
  }
  return 'no';
}

function nounlike(verb: string, rest: string): Clause['nounlike'] {
  if (!NOUNLIKE_ZH.has(verb)) return 'no';
  return HEADS_ZH.test(rest.trimStart()) ? 'likely' : 'maybe';
}

function kindOf(whole: string, text: string, found: Verb): ClauseKind {
  if (text === '') return 'plain';
  if (CONDITION.test(whole)) return 'condition';
  if (LIMIT_ZH.test(text)) return 'limit';
  const polite = POLITE_QUESTION.test(whole);
  if (!found) return QUESTION.test(whole) && !polite ? 'question' : 'plain';
  if (NOUN_TAIL_ZH.test(found.rest) || STATEMENT.test(found.rest)) return 'plain';
  if (
    /^(?:你|您|我|我们)?(?:需要|要|应该|是否|是不是|有没有|该不该)/.test(whole) &&
    /(?:吗|呢)$/.test(whole)
  )
    return 'question';
  return 'request';
}

function doesOf(verb: string, text: string): Set<VerbKind> {
  const kinds = new Set<VerbKind>();
  if (PREPARE_ZH.has(verb)) kinds.add('prepare');
  if (CONSUME_ZH.has(verb)) kinds.add('consume');
  if (CREATE_ZH.has(verb)) kinds.add('create');
  if (SHIP_ZH.test(text)) kinds.add('ship');
  if (/^(?:告诉|通知|发给|给)我|^(?:给出|汇报|反馈)/.test(text)) kinds.add('deliver');
  if (
    /^(?:写|编写|撰写|生成|制作|给出|提出|形成|整理出?|绘制|画)(?:一?[份个张篇])?(?:详细的?|简短的?)?(?:报告|总结|摘要|图表|表格|列表|结论|建议|方案|清单)$/.test(
      text,
    )
  )
    kinds.add('consume');
  return kinds;
}

/** `english`: reads the clause when it begins with a Latin word ("fix 登录 bug"). */
export function readChinese(clause: string, english: (text: string) => Clause): Clause {
  const whole = trimEnd(clause.replace(/^[\s,、。.;:!?]+/, ''), /[\s,、。.;!~]/);
  let text = whole;
  let lead = clause.length - clause.replace(/^[\s,、。.;:!?]+/, '').length;
  let polished = false;
  let ordered = false;
  let also = false;
  for (let round = 0; round < 8; round++) {
    const order = ORDER_ZH.exec(text)?.[0];
    const more = order ? undefined : ALSO_ZH.exec(text)?.[0];
    const join = order || more ? undefined : JOIN_ZH.exec(text)?.[0];
    const polite = order || more || join ? undefined : POLITE_ZH.exec(text)?.[0];
    const cut = order ?? more ?? join ?? polite;
    if (!cut || cut.length === text.length) break;
    ordered ||= order !== undefined;
    also ||= more !== undefined;
    polished ||= polite !== undefined;
    if (!polished) lead += cut.length;
    text = text.slice(cut.length);
  }
  if (LATIN_VERB.test(text)) {
    const read = english(text);
    const condition = CONDITION.test(whole) || QUESTION.test(whole);
    if (read.kind !== 'plain')
      return {
        ...read,
        language: 'zh',
        kind: condition && read.kind === 'request' ? 'condition' : read.kind,
        ordered: ordered || read.ordered || ORDERED.test(whole),
        also: also || read.also,
        leans: read.leans || LEANS.test(text),
        short: [...text.replace(/[\s\p{P}]/gu, '')].length < 4,
        lead,
      };
  }
  const found = verbAt(text) ?? carried(text);
  const kind = kindOf(whole, text, found);
  const { verb, rest } = found ?? { verb: '', rest: '' };
  const object = rest.replace(/吗[？?]?$/, '').replace(/[\s\p{P}]/gu, '');
  return {
    ...NO_CLAUSE,
    language: 'zh',
    kind,
    verb: kind === 'request' ? verb : '',
    does: doesOf(verb, text),
    object: object === '' ? [] : [object],
    // 翻译成英文: what is translated was said before.
    leans: LEANS.test(text) || /^(?:成|为|到|给|至)/.test(rest),
    ordered: ordered || ORDERED.test(whole),
    also,
    hosts: hosts(rest),
    nounlike: nounlike(verb, rest),
    endsVerblike: [2, 3].some((n) => NOUNLIKE_ZH.has(text.slice(-n)) && text.length > n),
    bare: RELATIONAL_ZH.test(object),
    vague: GENERIC_ZH.test(object),
    brief: object.length <= 2,
    short: object.length < 2 && !rest.includes(MASK),
    lead,
  };
}
