// Documents that only put the words of the request into a known form: a plan, an architecture, a mobile flow.

import type { Language } from '../../language/lexicon.ts';
import { splitRequest, splitSentences } from '../../language/split.ts';
import type { File } from './recipe.ts';

type Kind = 'plan' | 'architecture' | 'mobile';
type Form = { path: string; title: Record<Language, string>; sections: Record<Language, string[]> };

const FORMS: Record<Kind, Form> = {
  plan: {
    path: 'PLAN.md',
    title: { en: 'Plan', ko: '계획', zh: '计划' },
    sections: {
      en: ['Open questions', 'Risks', 'Done when'],
      ko: ['열린 질문', '위험', '완료 조건'],
      zh: ['待确认问题', '风险', '完成条件'],
    },
  },
  architecture: {
    path: 'ARCHITECTURE.md',
    title: { en: 'Architecture', ko: '아키텍처', zh: '架构' },
    sections: {
      en: ['Parts and their boundaries', 'Data and interfaces', 'Failures', 'Decisions'],
      ko: ['구성 요소와 경계', '데이터와 인터페이스', '장애', '결정'],
      zh: ['组成部分与边界', '数据与接口', '故障', '决策'],
    },
  },
  mobile: {
    path: 'MOBILE.md',
    title: { en: 'Mobile flow', ko: '모바일 흐름', zh: '移动端流程' },
    sections: {
      en: ['Screens', 'Navigation', 'Offline behaviour', 'iOS and Android differences'],
      ko: ['화면', '내비게이션', '오프라인 동작', 'iOS와 Android 차이'],
      zh: ['页面', '导航', '离线行为', 'iOS 与 Android 差异'],
    },
  },
};
const REQUEST = { en: 'Request', ko: '요청', zh: '请求' };
const PARTS = { en: 'Parts', ko: '작업', zh: '工作' };
const FILL = { en: 'to be filled in', ko: '작성 필요', zh: '待填写' };

export function documentFile(kind: Kind, request: string, language: Language): File {
  const form = FORMS[kind];
  const parts = splitSentences(request).flatMap((sentence) => splitRequest(sentence).parts);
  const items = (parts.length > 0 ? parts : [request]).map((p) => `- [ ] ${p}`);
  const sections = form.sections[language].map((name) => `## ${name}\n\n- ${FILL[language]}\n`);
  const quoted = request.split('\n').map((line) => `> ${line}`);
  const text = [
    `# ${form.title[language]}\n`,
    `## ${REQUEST[language]}\n`,
    ...quoted,
    `\n## ${PARTS[language]}\n`,
    ...items,
    '',
    ...sections,
  ].join('\n');
  return { path: form.path, text };
}
