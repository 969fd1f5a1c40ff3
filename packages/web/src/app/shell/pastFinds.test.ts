import type { PastSearch } from '@parapet/contract/pastSearches.ts';
import { expect, test } from 'vitest';
import { findsPath, findsText, pastFindsQuery, seenOf, unseenFinds, withSeen } from './pastFinds.ts';

const now = Date.parse('2026-11-29T12:00:00Z');
const search = (of: Partial<PastSearch>) =>
  ({ id: 1, kind: 'indicators', name: 'Feed', hits: 1, finishedTime: '2026-11-29T11:00:00Z', ...of }) as PastSearch;

const unseenIds = (searches: readonly PastSearch[], seen: ReturnType<typeof seenOf>) =>
  unseenFinds(searches, seen, now).map(({ id }) => id);

test('lists ended searches with finds that are not seen, of the last two weeks', () => {
  const searches = [
    search({ id: 9, finishedTime: null }),
    search({ id: 8 }),
    search({ id: 7, hits: 0 }),
    search({ id: 6, finishedTime: '2026-11-14T11:00:00Z' }),
    search({ id: 5 }),
  ];
  expect(unseenIds(searches, seenOf(undefined, undefined))).toEqual([8, 5]);
  expect(unseenIds(searches, seenOf(5, null))).toEqual([8]);
  expect(unseenIds(searches, seenOf(0, '8,x'))).toEqual([5]);
});

test('marks the opened find alone as seen', () => {
  const searches = [9, 8, 7, 6].map((id) => search({ id }));
  const one = withSeen(searches, seenOf(undefined, undefined), [8], now);
  expect(one).toEqual({ upTo: 5, ids: [8] });
  expect(unseenIds(searches, one)).toEqual([9, 7, 6]);
  const two = withSeen(searches, one, [6], now);
  expect(two).toEqual({ upTo: 6, ids: [8] });
  expect(withSeen(searches, two, [9, 7], now)).toEqual({ upTo: 9, ids: [] });
});

test('keeps a search that runs unseen, and a bounded list', () => {
  const running = search({ id: 1, finishedTime: null });
  const searches = [...Array.from({ length: 20 }, (_, n) => search({ id: 21 - n })), running];
  const all = searches.filter(({ id }) => id > 1).map(({ id }) => id);
  const seen = withSeen(searches, seenOf(0, ''), all, now);
  expect(seen).toEqual({ upTo: 0, ids: all.slice(0, 16) });
  expect(unseenIds([search({ id: 1 })], seen)).toEqual([1]);
  expect(seen.ids.map(() => 2_147_483_647).join(',').length).toBeLessThanOrEqual(200);
});

test('names the finds and opens their search', () => {
  expect(findsText(search({ hits: 2, name: 'Feed\u202e' }))).toMatch(/^2 finds in stored events: Feed/);
  expect(findsText(search({ name: 'Feed\u202e' }))).not.toContain('\u202e');
  expect(findsPath(search({ id: 4 }), true)).toBe('/apps/intelligence?past=4');
  expect(findsPath(search({ id: 4, kind: 'rules' }), true)).toBe('/apps/rulepacks?past=4');
  expect(findsPath(search({ id: 4, kind: 'rules' }), false)).toBe('/apps/intelligence?past=4');
});

test('requests all clients for staff and the own one for people of a client', () => {
  const keyOf = (hasSelector: boolean) => JSON.stringify(pastFindsQuery({ hasSelector, client: 10 }).queryKey);
  expect(keyOf(true)).toContain('"client":0');
  expect(keyOf(false)).toContain('"client":10');
});
