import { describe, expect, test, vi } from 'vitest';
import { inOrder, maxOffered, maxTries, offeredClients, untilPartnerFound } from './clients.ts';

const org = (id: number, isPartner: boolean, partnerClientOrgID: number | null = null) => ({
  id,
  name: `Org ${id}`,
  isPartner,
  partnerClientOrgID,
});

test('orders partners before their clients', () => {
  const given = [org(10, false, 2), org(2, true, 1), org(30, false, 1), org(1, true), org(11, false, 2), org(99, false, 7)];
  expect(inOrder(given).map((each) => each.id)).toEqual([2, 10, 11, 1, 30, 99]);
});

test('repeats the request until a partner is found', async () => {
  const load = vi
    .fn()
    .mockResolvedValueOnce([])
    .mockResolvedValueOnce([org(10, false, 2)])
    .mockResolvedValue([org(2, true, 1), org(10, false, 2)]);
  const pauses: number[] = [];
  const found = await untilPartnerFound(load, async (ms) => void pauses.push(ms));
  expect(found).toHaveLength(2);
  expect(pauses).toEqual([500, 1000]);
});

test('stops after five tries', async () => {
  const load = vi.fn().mockResolvedValue([org(10, false, 2)]);
  expect(await untilPartnerFound(load, async () => {})).toHaveLength(1);
  expect(load).toHaveBeenCalledTimes(maxTries);
});

describe('3,000 clients', () => {
  const all = Array.from({ length: 3000 }, (_, index) => ({
    ...org(index, false),
    name: index === 0 ? 'All' : `Ölmühle ${index}`,
  }));

  test('shows a part of them with the selected one', () => {
    const offered = offeredClients(all, 'Ölmühle 2900', 2900);
    expect(offered).toHaveLength(maxOffered + 2);
    expect(offered.slice(0, 2).map(({ id }) => id)).toEqual([0, 2900]);
    expect(offered.at(-1)).toMatchObject({ isHint: true, name: '2849 more: type a part of the name' });
  });

  test('matches any part of the name, without accents, and the number', () => {
    expect(offeredClients(all, 'olmuhle 2999', 0).map(({ id }) => id)).toEqual([2999]);
    expect(offeredClients(all, ' 299  MÜHLE ', 0)).toHaveLength(13);
    expect(offeredClients(all, '2999', 0).map(({ id }) => id)).toEqual([2999]);
    expect(offeredClients(all, 'no match', 0)).toEqual([]);
  });

  test('matches within the time limit', () => {
    const begun = performance.now();
    offeredClients(all, 'muhle 7', 0);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
