import { expect, test, vi } from 'vitest';
import { inOrder, mostTries, untilPartnerFound } from './clients.ts';

const org = (id: number, isPartner: boolean, partnerClientOrgID: number | null = null) => ({
  id,
  name: `Org ${id}`,
  isPartner,
  partnerClientOrgID,
});

test('partners before their clients', () => {
  const given = [org(10, false, 2), org(2, true, 1), org(30, false, 1), org(1, true), org(11, false, 2), org(99, false, 7)];
  expect(inOrder(given).map((each) => each.id)).toEqual([2, 10, 11, 1, 30, 99]);
});

test('asks again until a partner is there', async () => {
  const ask = vi
    .fn()
    .mockResolvedValueOnce([])
    .mockResolvedValueOnce([org(10, false, 2)])
    .mockResolvedValue([org(2, true, 1), org(10, false, 2)]);
  const pauses: number[] = [];
  const found = await untilPartnerFound(ask, async (ms) => void pauses.push(ms));
  expect(found).toHaveLength(2);
  expect(pauses).toEqual([500, 1000]);
});

test('gives up after five tries with what there is', async () => {
  const ask = vi.fn().mockResolvedValue([org(10, false, 2)]);
  expect(await untilPartnerFound(ask, async () => {})).toHaveLength(1);
  expect(ask).toHaveBeenCalledTimes(mostTries);
});
