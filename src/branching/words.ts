// What branches are told and what their results are headed with, in the language of the request.
import type { Language } from '../language/lexicon.ts';

export type BranchWords = {
  goal: string;
  whole: string;
  siblings: string;
  constraints: string;
  language: string;
  workdir: string;
  files: string;
  finding: string;
  branch: string;
  noText: string;
  failed(count: number, of: number): string;
  allFailed: string;
  noResults: string;
  unused: string;
};

export const BRANCH_WORDS: Readonly<Record<Language, BranchWords>> = {
  en: {
    goal: 'Your part',
    whole: 'The whole request',
    siblings: 'Others work on these parts at the same time; leave them to them',
    constraints: 'What holds for every part',
    language: 'Write everything in English.',
    workdir: 'Work in this folder',
    files: 'Files that are yours; change no others without need',
    finding: 'Record each finding with brain_record as soon as you have it.',
    branch: 'Branch',
    noText: '(it ended without a text)',
    failed: (count, of) => `Warning: ${count} of ${of} branches failed.`,
    allFailed: 'All branches failed',
    noResults: 'No branch has a result.',
    unused: 'Notes that no result mentions',
  },
  ko: {
    goal: '맡은 부분',
    whole: '전체 요청',
    siblings: '다음 부분은 다른 에이전트가 동시에 하고 있으니 손대지 마세요',
    constraints: '모든 부분에 적용되는 조건',
    language: '모든 내용을 한국어로 작성하세요.',
    workdir: '작업 폴더',
    files: '맡은 파일(필요하지 않으면 다른 파일은 바꾸지 마세요)',
    finding: '알게 된 것은 바로 brain_record로 기록하세요.',
    branch: '브랜치',
    noText: '(내용 없이 끝났습니다)',
    failed: (count, of) => `경고: 브랜치 ${of}개 중 ${count}개가 실패했습니다.`,
    allFailed: '모든 브랜치가 실패했습니다',
    noResults: '결과가 있는 브랜치가 없습니다.',
    unused: '어떤 결과에도 나오지 않는 노트',
  },
  zh: {
    goal: '你负责的部分',
    whole: '完整请求',
    siblings: '以下部分由其他代理同时处理，请不要动',
    constraints: '对所有部分都适用的条件',
    language: '所有内容请用中文书写。',
    workdir: '工作目录',
    files: '属于你的文件（没有必要时不要修改其他文件）',
    finding: '一有发现就用 brain_record 记录下来。',
    branch: '分支',
    noText: '（没有留下文字）',
    failed: (count, of) => `警告：${of} 个分支中有 ${count} 个失败。`,
    allFailed: '所有分支都失败了',
    noResults: '没有任何分支有结果。',
    unused: '没有任何结果提到的笔记',
  },
};
