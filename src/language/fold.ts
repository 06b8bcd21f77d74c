// One spelling for words that are written in several: lower case, half-width, simplified characters.
// Every character becomes exactly one: positions stay those of the text.

/** Traditional and simplified, in pairs: only characters that occur in the words of the lexicons. */
const PAIRS =
  '並并請请幫帮給给還还將将對对為为與与個个這这該该們们結结過过時时後后間间話话開开關关啟启動动停停運运執执檢检測测試试驗验' +
  '證证審审查查調调設设計计劃划規规實实現现發发製制構构建建創创編编寫写優优進进復复復复誤误錯错刪删除除換换' +
  '訊讯資资庫库數数據据統统計计總总報报顯显示示讀读載载導导匯汇輸输譯译說说明明釋释記记錄录終终' +
  '頁页標标題题圖图畫画網网連连線线級级類类型型權权限限範范圍围環环境境監监聽听備备佈布署署傳传遞递' +
  '選选擇择點点擊击單单鍵键欄栏處处理理無无舊旧簡简擴扩縮缩裝装歸归檔档參参協协議议認认識识' +
  '應应當当如如則则繼继續续從从來来於于幾几誰谁麼么嗎吗呢呢哪哪樣样難难讓让會会須须' +
  '確确認认保保護护遷迁移移轉转變变獲获取取採采購购買买賣卖訂订預预約约訪访問问' +
  '幫帮們们兩两條条張张份份篇篇種种隻只項项務务隨随順顺內内層层壓压縮缩訓训練练學学習习' +
  '評评估估閱阅覽览歷历史史隊队團团長长歡欢謝谢邊边雙双倉仓儲储彙汇潤润飾饰繪绘製制產产' +
  '嘗尝試试補补齊齐萬万勞劳煩烦麻麻斷断響响應应聯联絡络離离職职業业係系統统細细節节';

const SIMPLE = new Map<string, string>();
const pairs = [...PAIRS];
for (let i = 0; i + 1 < pairs.length; i += 2) SIMPLE.set(pairs[i] ?? '', pairs[i + 1] ?? '');

const FULL_WIDTH = /[\uFF01-\uFF5E]/g;
const HAN = /[\u4E00-\u9FFF]/g;

/** `ſ`, `İ` and their like have a lower case of another length or meaning: they stay. */
const lower = (text: string): string => {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replace(/[A-Z]/g, (c) => c.toLowerCase());
};

export const foldText = (text: string): string =>
  lower(text.replace(FULL_WIDTH, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0)))
    .replace(HAN, (c) => SIMPLE.get(c) ?? c)
    .replace(/[’‘]/g, "'")
    .replace(/[\u00A0\u3000\u2000-\u200A\t\r]/g, ' ');
