// Words for states in the languages that the server speaks; the rest of the page is English.
const LANGUAGES = ['en', 'ko', 'zh'] as const;
type Language = (typeof LANGUAGES)[number];
const WORDS: Record<string, Record<Language, string>> = {
  queued: { en: 'queued', ko: '대기열', zh: '排队中' },
  starting: { en: 'starting', ko: '시작 중', zh: '启动中' },
  running: { en: 'running', ko: '실행 중', zh: '运行中' },
  waiting: { en: 'waiting', ko: '대기 중', zh: '等待中' },
  blocked: { en: 'blocked', ko: '막힘', zh: '受阻' },
  done: { en: 'done', ko: '완료', zh: '完成' },
  completed: { en: 'completed', ko: '완료', zh: '已完成' },
  degraded: { en: 'incomplete', ko: '일부 완료', zh: '部分完成' },
  failed: { en: 'failed', ko: '실패', zh: '失败' },
  cancelled: { en: 'cancelled', ko: '취소됨', zh: '已取消' },
  human: { en: 'waits for you', ko: '당신을 기다림', zh: '等待您的决定' },
  child: { en: 'waits for its task', ko: '하위 작업 대기', zh: '等待子任务' },
  slot: { en: 'waits for a slot', ko: '자리 대기', zh: '等待空位' },
  role: { en: 'waits for its role', ko: '역할 대기', zh: '等待角色' },
  backoff: { en: 'model pauses', ko: '모델 대기', zh: '模型暂停' },
};
const language: Language =
  LANGUAGES.find((l) => navigator.language.toLowerCase().startsWith(l)) ?? 'en';
export const word = (state: string): string => WORDS[state]?.[language] ?? state;
