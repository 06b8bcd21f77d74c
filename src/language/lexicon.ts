// Verbs that open a request, in three languages, and the words that tie one part to another.
// Data and tests on a few words; never decides what to do with a request.

export type Language = 'en' | 'ko' | 'zh';

const VERBS_EN = new Set(
  `add analyse analyze append architect audit benchmark build bump calculate change check clean clone
  collect commit compare compile compute configure convert copy count create debug define delete deploy
  describe design develop diagnose document download draft edit enable disable estimate evaluate examine
  execute explain explore export extend extract fetch find fix format gather generate get give grep group
  implement import improve index inspect install integrate investigate join kill launch lint list load log
  look make map measure merge migrate mock monitor move optimise optimize organise organize outline
  package parse patch plan polish port prepare print profile prototype publish pull push put read rebuild
  record refactor reformat release remember remove rename render reorganise replace report reproduce
  research reset resolve restart restructure review revise rewrite run save scaffold scan search send
  set setup show simplify sketch solve sort split start stop store style suggest summarise summarize
  tell test tidy trace translate uninstall update upgrade upload use validate verify visualise visualize
  watch wire write`.split(/\s+/),
);

/** Words that may stand before the verb. */
const BEFORE_EN =
  /^(?:(?:please|also|kindly|just|now|can you|could you|would you|i want you to|let's)[\s,]+)+/i;
const BEFORE_ZH =
  /^(?:请|請|麻烦你?|帮我|幫我|给我|給我|你|先|再|也|还要|把|将|將|对|對|为|為|用|在)+/;

const VERBS_ZH =
  '修复|修復|修改|修正|优化|優化|改进|改進|添加|增加|新增|加上|加|编写|編寫|撰写|撰寫|写|寫|创建|創建|建立|新建|构建|構建|搭建|实现|實現|开发|開發|制作|製作|做|生成|设计|設計|规划|規劃|计划|分析|调查|調查|研究|调研|查找|查询|查一下|搜索|搜尋|寻找|找出|找|读取|讀取|阅读|读|讀|打开|显示|顯示|列出|列|运行|運行|执行|執行|跑|测试|測試|检查|檢查|审查|審查|审核|评审|調試|调试|部署|更新|升级|升級|删除|刪除|移除|重命名|重构|重構|翻译|翻譯|总结|總結|概括|汇总|统计|統計|计算|計算|比较|比較|解释|解釋|说明|說明|整理|记录|記錄|记住|記住|追加|替换|替換|把|下载|安装|配置|验证|驗證';
const VERB_START_ZH = new RegExp(`^(?:${VERBS_ZH})`);

/** A request or a verb ending somewhere in the clause. */
const REQUEST_KO =
  /(?:줘요?|주세요|주십시오|줄래|달라|하라|해라|할래|하자|합시다|하기|해|해요|하세요|하시오|십시오|세요|바랍니다|부탁|만들|고쳐|작성|추가|수정|삭제|실행|검토|정리|요약|분석|보여|찾아|읽어|써)/;

export function startsWithVerb(clause: string, language: Language): boolean {
  if (language === 'en') {
    const word = /^[a-z]+/i.exec(clause.trim().replace(BEFORE_EN, ''))?.[0] ?? '';
    return VERBS_EN.has(word.toLowerCase());
  }
  if (language === 'ko') return REQUEST_KO.test(clause);
  const text = clause.trim();
  return VERB_START_ZH.test(text) || VERB_START_ZH.test(text.replace(BEFORE_ZH, ''));
}

/** The clause leans on an earlier one: it cannot be done at the same time. */
const LEANS: Record<Language, RegExp> = {
  en: /\b(?:it|its|them|their|theirs|this|these|those|the (?:result|results|output|same|former|latter)|based on|after that|afterwards|once)\b|\bthat\b(?!\s+(?:\w+s|can|will|should|must|has|have|is|are|lets?|does|do)\b)/i,
  ko: /(?:그것|그걸|이것|이걸|그 결과|결과를|나서|그런 다음|그 다음|그 후)/,
  zh: /(?:它|它们|它們|其(?!他|它|中|余)|该结果|结果|結果|然后|然後|之后|之後|接着|接著)/,
};
export const leansOnEarlier = (clause: string, language: Language): boolean =>
  LEANS[language].test(clause);
