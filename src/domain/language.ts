// The languages that an answer can be asked for in, and the runtime's own words in them. Which one a request is
// written in is found by language/reply.

/** `zh`: Chinese whose characters do not tell which of the two scripts it is. */
export const REPLY_LANGUAGES = ['en', 'ko', 'zh', 'zh-Hans', 'zh-Hant'] as const;
export type ReplyLanguage = (typeof REPLY_LANGUAGES)[number];
export const isReplyLanguage = (value: unknown): value is ReplyLanguage =>
  (REPLY_LANGUAGES as readonly unknown[]).includes(value);

type Words = {
  name: string;
  /** Said to an agent in the language itself. */
  answer: string;
  /** Under a text that the model did not finish. */
  cut: string;
  /** Under an answer that does not wait for these tasks. */
  background(tasks: string): string;
  /** Under a result that does not wait for these tasks. */
  missing(tasks: string): string;
};

const HANS: Words = {
  name: 'Simplified Chinese',
  answer: '请用简体中文回答。',
  cut: '[回答未完：模型已达到输出长度上限。]',
  background: (tasks) => `仍在后台运行：${tasks}。`,
  missing: (tasks) => `[未包含，因为尚未结束：${tasks}]`,
};

export const WORDS: Readonly<Record<ReplyLanguage, Words>> = {
  en: {
    name: 'English',
    answer: 'Answer in English.',
    cut: '[The answer was cut: the model reached the limit of its output length.]',
    background: (tasks) => `Still at work in the background: ${tasks}.`,
    missing: (tasks) => `[Not included, because it had not ended: ${tasks}]`,
  },
  ko: {
    name: 'Korean',
    answer: '한국어로 답하세요.',
    cut: '[답변이 잘렸습니다: 모델이 출력 길이 한도에 도달했습니다.]',
    background: (tasks) => `백그라운드에서 아직 작업 중: ${tasks}.`,
    missing: (tasks) => `[아직 끝나지 않아 포함되지 않음: ${tasks}]`,
  },
  zh: { ...HANS, name: 'Chinese', answer: '请用中文回答。' },
  'zh-Hans': HANS,
  'zh-Hant': {
    name: 'Traditional Chinese',
    answer: '請用繁體中文回答。',
    cut: '[回答未完：模型已達到輸出長度上限。]',
    background: (tasks) => `仍在背景執行：${tasks}。`,
    missing: (tasks) => `[未包含，因為尚未結束：${tasks}]`,
  },
};
/** English where nothing else is known. */
export const wordsIn = (language: ReplyLanguage | null): Words => WORDS[language ?? 'en'];
