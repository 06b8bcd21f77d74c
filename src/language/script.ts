// Simplified or traditional Chinese, by characters that only one of the two has. Pure.
import type { ReplyLanguage } from '../domain/language.ts';

/** Common characters in pairs: simplified, traditional. */
const PAIRS =
  '国國语語这這个個们們来來时時对對说說会會学學写寫发發开開关關门門问問间間见見现現实實进進过過还還让讓请請读讀谁誰调調谢謝设設计計认認识識试試详詳译譯记記讲講许許论論证證评評词詞该該误誤诉訴话話样樣条條机機构構标標东東车車边邊达達运運连連选選适適递遞遗遺钱錢银銀错錯键鍵长長闭閉阅閱队隊际際险險难難页頁项項顺順须須预預领領题題类類频頻额額风風飞飛饭飯馆館马馬验驗驱驅鱼魚鸟鳥齐齊电電网網线線级級组組经經结結给給统統继繼续續缓緩编編维維绝絕纪紀约約纯純细細终終听聽团團图圖围圍园園场場坏壞块塊声聲处處备備复復头頭夹夾奖獎孙孫宝寶审審将將尔爾尽盡层層属屬岁歲师師带帶广廣庆慶库庫应應废廢张張弹彈归歸当當录錄态態总總恶惡戏戲执執扩擴扫掃护護报報择擇换換据據损損数數无無旧舊显顯权權杀殺杂雜极極检檢楼樓欢歡毕畢气氣汇匯汉漢没沒测測济濟浏瀏温溫湾灣满滿灭滅点點热熱爱愛状狀独獨环環产產画畫疗療监監盘盤码碼确確离離种種积積称稱稳穩笔筆签簽简簡紧緊罗羅职職联聯脑腦节節苏蘇药藥营營虑慮虽雖补補装裝规規视視览覽觉覺训訓议議访訪负負财財责責败敗账賬货貨质質贴貼费費资資赛賽输輸辑輯转轉轻輕载載较較两兩从從传傳体體优優价價众眾伤傷储儲儿兒党黨内內册冊决決况況减減创創删刪别別动動务務劳勞势勢单單卖賣厂廠历歷压壓双雙变變号號员員响響';

const SIMPLIFIED = new Set<string>();
const TRADITIONAL = new Set<string>();
for (let i = 0; i + 1 < PAIRS.length; i += 2) {
  const [simplified = '', traditional = ''] = [PAIRS[i], PAIRS[i + 1]];
  SIMPLIFIED.add(simplified);
  TRADITIONAL.add(traditional);
}

/**
 * `least`: characters that speak for the script. `clear`: how many times as many as for the other one. `zh`: nobody
 * can tell.
 */
export function scriptOf(
  text: string,
  { least, clear }: { least: number; clear: number } = { least: 1, clear: 1 },
): ReplyLanguage {
  let simplified = 0;
  let traditional = 0;
  for (const character of text) {
    if (SIMPLIFIED.has(character)) simplified += 1;
    else if (TRADITIONAL.has(character)) traditional += 1;
  }
  if (simplified >= least && simplified > clear * traditional) return 'zh-Hans';
  if (traditional >= least && traditional > clear * simplified) return 'zh-Hant';
  return 'zh';
}
