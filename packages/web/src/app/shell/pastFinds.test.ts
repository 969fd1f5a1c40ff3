import type { PastSearch } from '@parapet/contract/pastSearches.ts';
import { expect, test } from 'vitest';
import { findsPath, findsText, unseenFinds } from './pastFinds.ts';

const now = Date.parse('2026-11-29T12:00:00Z');
const search = (of: Partial<PastSearch>) =>
  ({ id: 1, kind: 'indicators', name: 'Feed', hits: 1, finishedTime: '2026-11-29T11:00:00Z', ...of }) as PastSearch;

test('lists ended searches with finds beyond the one seen, of the last two weeks', () => {
  const searches = [
    search({ id: 9, finishedTime: null }),
    search({ id: 8 }),
    search({ id: 7, hits: 0 }),
    search({ id: 6, finishedTime: '2026-11-14T11:00:00Z' }),
    search({ id: 5 }),
  ];
  expect(unseenFinds(searches, 0, now).map(({ id }) => id)).toEqual([8, 5]);
  expect(unseenFinds(searches, 5, now).map(({ id }) => id)).toEqual([8]);
});

test('names the finds and opens their search', () => {
  expect(findsText(search({ hits: 2, name: 'Feed\u202e' }))).toMatch(/^2 finds in stored events: Feed/);
  expect(findsText(search({ name: 'Feed\u202e' }))).not.toContain('\u202e');
  expect(findsPath(search({ id: 4 }), true)).toBe('/apps/intelligence?past=4');
  expect(findsPath(search({ id: 4, kind: 'rules' }), true)).toBe('/apps/rulepacks?past=4');
  expect(findsPath(search({ id: 4, kind: 'rules' }), false)).toBe('/apps/intelligence?past=4');
});
