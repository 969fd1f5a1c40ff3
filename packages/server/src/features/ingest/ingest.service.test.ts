import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Batch } from '../../pipeline/event-writer.ts';
import type { OrganisationRules } from '../../pipeline/rule-view.ts';
import { createIngestService } from './ingest.service.ts';

const service = () => createIngestService({} as Parameters<typeof createIngestService>[0]);

test('runs two at once and one of another organisation, taking turns by organisation', async () => {
  const { inTurn } = service();
  const order: string[] = [];
  let underWay = 0;
  const work = (name: string) => async () => {
    expect(++underWay).toBeLessThanOrEqual(3);
    order.push(name);
    await turn();
    underWay--;
  };
  await Promise.all([
    ...[1, 2, 3, 4, 5].map((n) => inTurn(work(`flood ${n}`), 10)),
    inTurn(work('polite 1'), 11),
    inTurn(work('polite 2'), 11),
    inTurn(work('other 1'), 12),
  ]);
  expect(order).toEqual(['flood 1', 'flood 2', 'polite 1', 'other 1', 'flood 3', 'polite 2', 'flood 4', 'flood 5']);
});

test('passes the turn on after a failure', async () => {
  const { inTurn } = service();
  const failing = [1, 2, 3].map(() => inTurn(() => Promise.reject(new Error('no')), 1));
  for (const result of await Promise.allSettled(failing)) expect(result.status).toBe('rejected');
  expect(await inTurn(async () => 'done', 2)).toBe('done');
});

test('stores dead letters with the time of their arrival, which determines their day', async () => {
  const arrivedAt = Date.parse('2026-11-05T23:59:59.999Z');
  const batches: Batch[] = [];
  const { take } = createIngestService({
    eventWriter: {
      writeBatch: async (batch) => {
        batches.push(batch);
        return { stored: new Set(), refused: new Set(), alertIds: [] };
      },
    },
    clock: { now: () => arrivedAt + 1 },
    counted: () => {},
    // Nothing here is read as an event.
    detector: { of: () => ({}) as OrganisationRules },
  } as Partial<Parameters<typeof createIngestService>[0]> as Parameters<typeof createIngestService>[0]);
  await take(1, [{ raw: '{', index: 'logs', documentId: undefined, receivedAt: arrivedAt }]);
  expect(batches[0]?.dead).toMatchObject([{ receivedAt: arrivedAt, reason: 'not-json' }]);
  expect(batches[0]?.counts).toEqual(
    new Map([
      [
        '2026-11-05',
        new Map([
          ['received', 1],
          ['not-json', 1],
        ]),
      ],
    ]),
  );
});
