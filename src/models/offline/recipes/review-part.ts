// The last part of every recipe that makes code: somebody else reads it.
import { type Part, pick } from '../recipe.ts';

export const reviewPart = (after: readonly string[]): Part => ({
  id: 'review',
  role: 'reviewer',
  after,
  when: null,
  task: (t) =>
    pick(
      t,
      'Review the files in the working folder and report findings.',
      '작업 폴더의 파일을 검토하고 발견한 점을 보고하세요.',
      '审查工作文件夹中的文件并报告发现的问题。',
    ),
  files: () => [],
  check: () => null,
});
