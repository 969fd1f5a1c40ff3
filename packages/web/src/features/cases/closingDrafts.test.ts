import { expect, test } from 'vitest';
import { createTabMemory } from '../../lib/tabMemory.ts';
import { createClosingDrafts } from './closingDrafts.ts';

function draftsIn(stored: Record<string, string> = {}) {
  const storage = {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => {
      stored[key] = value;
    },
    removeItem: (key: string) => {
      delete stored[key];
    },
  };
  return { stored, drafts: createClosingDrafts(createTabMemory('closing-drafts', () => storage)) };
}
const empty = { resolution: '', reason: '', answers: {} };
const draft = { resolution: 'truePositive', reason: 'Seen on two hosts.', answers: { tasks: 'By phone.' } } as const;

test('returns the draft of each case until it is dropped', () => {
  const { drafts, stored } = draftsIn();
  drafts.put(5, draft);
  drafts.put(6, { ...empty, reason: 'Other', resolution: 'benign' });
  expect(drafts.of(5)).toEqual(draft);
  expect(draftsIn(stored).drafts.of(6)).toMatchObject({ reason: 'Other' });
  expect(drafts.of(7)).toEqual(empty);
  drafts.drop(5);
  expect(drafts.of(5)).toEqual(empty);
  drafts.drop(6);
  expect(stored).toEqual({});
});

test('keeps the last 20 cases', () => {
  const { drafts } = draftsIn();
  for (let id = 1; id <= 21; id++) drafts.put(id, draft);
  expect(drafts.of(1)).toEqual(empty);
  expect(drafts.of(2)).toEqual(draft);
});

test('reads known fields only, whatever the storage contains', () => {
  for (const text of ['', 'x', '5', '[5]', '[[5]]', '[[5,null]]', '{"5":{}}'])
    expect(draftsIn({ 'closing-drafts': text }).drafts.of(5)).toEqual(empty);
  const odd = JSON.stringify([[5, { resolution: 'other', reason: 7, answers: { tasks: 'x', other: 'y', alerts: [] } }]]);
  expect(draftsIn({ 'closing-drafts': odd }).drafts.of(5)).toEqual({ ...empty, answers: { tasks: 'x' } });
});

test('returns an empty draft where the browser refuses storage', () => {
  const drafts = createClosingDrafts(
    createTabMemory('closing-drafts', () => {
      throw new Error('refused');
    }),
  );
  drafts.put(5, draft);
  expect(drafts.of(5)).toEqual(empty);
});
