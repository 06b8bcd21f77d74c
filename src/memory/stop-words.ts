// Words that say nothing about what a text is about: function words, and the verbs of requests. Data only.
// Left out of index and query alike, so that they neither match nor count.

export const STOP_EN: ReadonlySet<string> = new Set(
  `a about above add after again all also am an and any are as ask at be because been before being below
  between both but by can change check come could create did do does doing done down each explain few file
  find fix for from further get give go going had has have having he hello help her here hers hey hi him his
  how i if in into is it its just know let like list look made make many may me might more most much must my
  name need new no nor not now of off ok on once one only or other our ours out over own please put read
  same say see she should show so some still such take tell than thank thanks that the their theirs them
  then there these they thing this those through to too under until up update use used using very want was
  way we were what when where which while who whom why will with work would write yes yet you your yours
  leave leaves two three four five six seven eight nine ten first second third
  don doesn didn isn aren wasn won ll re ve`.split(/\s+/),
);

/** Korean words, after their particle has gone. */
export const STOP_KO: ReadonlySet<string> = new Set(
  `그 저 이 것 거 게 수 등 때 좀 더 또 및 안 못 잘 왜 뭐 뭐야 뭔 나 내 너 네 우리 저희 제 누구 무엇 어디 언제 어떤 어떻게 어느 무슨 얼마나
  얼마 몇 하나 둘 셋 첫 번째 그리고 그런데 그래서 하지만 또는 혹은 이것 그것 저것 여기 거기 지금 오늘 이제 다시 계속 모두 전부 모든 항상 해 해줘 해라 하자
  한다 하는 하고 하면 하기 하나요 한 할 함 된다 되는 되나 되나요 되면 되어 돼 됐 있다 있는 있나 있나요 있어 있습니다 없다 없는 없어
  줘 주세요 주십시오 줄래 알려 알려줘 말해 말해줘 보여 보여줘 만들어 만들어줘 작성 작성해 작성해줘 설명 설명해 설명해줘 부탁해 부탁합니다
  안녕 안녕하세요 감사합니다 고마워 네 예 아니요 대해 대한 위해 위한 통해 같은 같이 해야 이다 입니다 인가요 이야 야`.split(
    /\s+/,
  ),
);

/** Chinese words at which a run of characters is cut. None of them is part of a common longer word. */
export const CUT_ZH =
  /请问|請問|请|請|什么|什麼|怎么样|怎麼樣|怎么|怎麼|怎样|怎樣|如何|为什么|為什麼|为何|為何|多少|多久|多长|多大|几个|哪里|哪裡|哪儿|哪些|哪个|哪個|我们|我們|你们|你們|他们|他們|她们|它们|这个|這個|那个|那個|这些|這些|那些|这里|這裡|一个|一個|一下|一些|是否|可以|可不可以|能不能|会不会|會不會|是不是|需要|应该|應該|帮我|幫我|给我|給我|告诉我|告訴我|继续|繼續|你好|您好|谢谢|謝謝|关于|關於|以及|或者|还是|還是|但是|因为|因為|所以|如果|然后|然後|就是|不是|没有|沒有|的|了|吗|嗎|呢|吧|啊|呀|我|你|您|他|她|它|是/gu;
