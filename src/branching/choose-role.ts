// Which role does a part of a request: the first row whose words the part has, else the one that builds.
// Data and one small rule; a role that may not be started is never chosen.

/** In the order in which they are tried: what is done weighs more than what it is done to. */
const ROLES: readonly [role: string, words: RegExp][] = [
  [
    'reviewer',
    /^\W*(?:please |kindly )?(?:review|audit|proofread|critique|assess|inspect)\b|(?:검토|리뷰|감사|교정)(?:를|을)?\s*(?:해|부탁|하)|(?:审查|审核|评审|校对|審查|審核|評審|校對)/iu,
  ],
  [
    'researcher',
    /^\W*(?:please |kindly )?(?:research|investigate|find out|look up|survey|compare|study|explore)\b|(?:조사|검색|비교|알아봐|찾아봐)|(?:调查|调研|研究|比较|对比|搜索|調查|調研|比較|對比|搜尋)/iu,
  ],
  [
    'debugger',
    /\b(?:debug|crash(?:es|ed)?|memory leak|race condition|deadlock|stack trace|flaky|fix\b.*\b(?:bugs?|errors?|crash|leak|failures?|issues?))\b|(?:버그|오류|에러|충돌|누수).*(?:고쳐|고치|수정|해결|잡)|(?:修复|修正|解决|排查|调试|修復|解決|調試).*(?:错误|崩溃|泄漏|异常|bug|錯誤|崩潰|洩漏|異常)/iu,
  ],
  [
    'planner',
    /^\W*(?:please |kindly )?(?:plan|schedule|outline|prioriti[sz]e)\b|(?:계획|일정)(?:을|를)?\s*(?:세워|짜|작성|만들)|(?:计划|规划|安排|計劃|規劃)(?=.{2})/iu,
  ],
  [
    'architect',
    /\b(?:architecture|system design|data model|schema)\b|^\W*(?:please )?design\b(?!.*\b(?:logo|page|screen|poster|button|ui)\b)|(?:아키텍처|시스템 설계|설계)|(?:架构|系统设计|架構|系統設計)/iu,
  ],
  [
    'mobile',
    /\b(?:ios|android|mobile app|react native|flutter|swiftui|kotlin)\b|(?:모바일 앱|안드로이드)|(?:移动应用|安卓|行動應用)/iu,
  ],
  [
    'frontend',
    /\b(?:ui|css|html|frontend|front-end|landing page|web ?page|homepage|navbar|footer|header|button|layout|react|vue|dark mode|logo)\b|(?:화면|페이지|프론트엔드|버튼|디자인|다크 모드|헤더|푸터)|(?:页面|界面|前端|按钮|首页|样式|頁面|按鈕|首頁|樣式)/iu,
  ],
  [
    'backend',
    /\b(?:api|backend|back-end|server|database|sql|quer(?:y|ies)|endpoint|migration|queue|cache|auth(?:entication)?)\b|(?:백엔드|서버|데이터베이스|엔드포인트|쿼리)|(?:后端|服务器|数据库|接口|後端|伺服器|資料庫)/iu,
  ],
];
const BUILDER = 'coder';

/** `may_start`: roles that the parent may start; null when there is none. */
export function chooseRole(part: string, may_start: readonly string[]): string | null {
  const text = part.slice(0, 2_000);
  const found = ROLES.find(([role, words]) => may_start.includes(role) && words.test(text))?.[0];
  return found ?? (may_start.includes(BUILDER) ? BUILDER : (may_start[0] ?? null));
}
