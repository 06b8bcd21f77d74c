// What the offline rules must not do: change or delete something for a sentence that does not ask for it.
import { describe, expect, it } from 'vitest';
import { actionOf } from '../../src/models/offline/action.ts';

const KEPT = [
  'Never delete notes.txt',
  'Make sure nobody can delete notes.txt',
  'Delete notes.txt if it is empty',
  'Should I delete notes.txt?',
  'How do I delete notes.txt?',
  "Don't remove notes.txt",
  'Delete everything except notes.txt',
  'Delete all files but notes.txt',
  'Delete the word needle from notes.txt',
  'Remove the first line of notes.txt',
  'Delete the backup of notes.txt',
  'What happens if I delete notes.txt?',
  'notes.txt를 삭제하면 어떻게 돼?',
  'notes.txt 빼고 다 삭제해줘',
  'notes.txt만 남기고 모두 삭제해줘',
  'notes.txt에서 needle 삭제해줘',
  'notes.txt 삭제하지 마',
  '删除除了 notes.txt 以外的所有文件',
  '除了notes.txt，删除所有文件',
  '从 notes.txt 中删除 needle',
  '不要删除 notes.txt',
  '怎么删除 notes.txt？',
];
const DELETED = [
  'Delete notes.txt',
  'please remove the file notes.txt.',
  'Could you delete notes.txt?',
  'Delete `notes.txt`',
  'notes.txt 삭제해줘',
  'notes.txt 파일을 지워 주세요',
  '删除 notes.txt',
  '请把 notes.txt 删掉',
];
const NOT_DONE = [
  'Never run `npm test`',
  'How do I run `npm test`?',
  'Should I rename a.txt to b.txt?',
  "Don't move a.txt to b.txt",
  'Do not write "x" into a.txt',
  'a.txt 이름을 b.txt로 바꾸지 마',
  '不要把 a.txt 重命名为 b.txt',
  'Create a file c.txt with the contents of a.txt',
];
const changes = (request: string): boolean => {
  const action = actionOf(request)?.action;
  return action !== undefined && ['create', 'append', 'replace', 'command'].includes(action.do);
};

describe('a sentence that does not ask for a deletion', () => {
  it.each(KEPT)('%s', (request) => {
    expect(changes(request)).toBe(false);
  });
});
describe('a sentence that asks for one', () => {
  it.each(DELETED)('%s', (request) => {
    expect(actionOf(request)?.action).toEqual({ do: 'command', command: 'rm -- notes.txt' });
  });
});
describe('a question, a prohibition, a text that is elsewhere', () => {
  it.each(NOT_DONE)('changes nothing: %s', (request) => {
    expect(changes(request)).toBe(false);
  });
});
