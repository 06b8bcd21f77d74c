// Where the documents of the workflows are, relative to the workdir.

export const COSPEC = '.cospec';
export const SPEC_DIR = `${COSPEC}/spec`;
export const CHANGES_DIR = `${COSPEC}/plan/changes`;
export const TEST_GUIDE = `${COSPEC}/TEST_GUIDE.md`;

/** Names of features and changes: kebab-case, so that they are good as folders everywhere. */
export const isKebab = (name: string): boolean =>
  name.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);

export type SpecFile = 'spec.md' | 'tech.md' | 'plan.md';
export const specPath = (feature: string, file: SpecFile): string =>
  `${SPEC_DIR}/${feature}/${file}`;
export const changePath = (id: string, file: 'proposal.md' | 'task.md'): string =>
  `${CHANGES_DIR}/${id}/${file}`;
