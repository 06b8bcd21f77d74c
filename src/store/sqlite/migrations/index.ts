// The numbered steps of the schema, in order. A step that has been released is never changed.
import type { Migration } from '../migrate.ts';
import * as step001 from './001.ts';
import * as step002 from './002.ts';
import * as step003 from './003.ts';
import * as step004 from './004.ts';
import * as step005 from './005.ts';
import * as step006 from './006.ts';

export const MIGRATIONS: readonly Migration[] = [
  step001,
  step002,
  step003,
  step004,
  step005,
  step006,
];
