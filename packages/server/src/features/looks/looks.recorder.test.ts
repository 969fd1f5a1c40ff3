/** Looks in memory: what is written when, and what a failed write and a stop keep. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { movableClock } from '../../core/clock.ts';
import type { Actor } from '../../core/http/actor.ts';
import { silentLog } from '../../core/log.ts';
import { createLookRecorder, type Look } from './looks.recorder.ts';

const actor = { userId: 3, organisationId: 1, organisationIds: [1, 7, 8], displayName: 'Ada' } as unknown as Actor;
const clock = movableClock(1_000_000);
let written: Look[][] = [];
let isBroken = false;

const recorder = () =>
  createLookRecorder({
    clock,
    log: silentLog,
    write: async (_person, looks) => {
      if (isBroken) throw new Error('no database');
      written.push([...looks]);
    },
  });
const look = (of: ReturnType<typeof recorder>, client: number, who = actor) =>
  of.looked(who, alertsApi.list, { params: { client } });
const pass = async (ms: number) => {
  clock.moveTo(clock.now() + ms);
  await vi.advanceTimersByTimeAsync(ms);
};

beforeEach(() => {
  vi.useFakeTimers();
  written = [];
  isBroken = false;
});
afterEach(() => {
  vi.useRealTimers();
});

test('writes a new look soon, and repeated ones later as a count', async () => {
  const looks = recorder();
  for (let index = 0; index < 100; index++) look(looks, 7);
  await pass(1_000);
  expect(written).toMatchObject([[{ requests: 100, subject: { client: 7 }, kind: 'alerts', channel: 'portal' }]]);
  look(looks, 7);
  look(looks, 8);
  await pass(1_000);
  expect(written).toHaveLength(2);
  expect(written[1]).toMatchObject([{ subject: { client: 8 } }]);
  await pass(60_000);
  expect(written[2]).toMatchObject([{ subject: { client: 7 }, requests: 1 }]);
  await looks.close();
  expect(written).toHaveLength(3);
});

test('keeps what could not be written, with its count', async () => {
  const looks = recorder();
  isBroken = true;
  look(looks, 7);
  await pass(1_000);
  look(looks, 7);
  await pass(1_000);
  expect(written).toEqual([]);
  isBroken = false;
  await pass(1_000);
  expect(written.flat()).toMatchObject([{ requests: 2 }]);
  await looks.close();
});

test('writes what is new of one person, or all', async () => {
  const looks = recorder();
  look(looks, 7);
  await pass(1_000);
  look(looks, 7);
  look(looks, 8);
  look(looks, 8, { ...actor, userId: 4 });
  await looks.flushNew(3);
  expect(written.slice(1)).toMatchObject([[{ subject: { client: 8 } }]]);
  await looks.flush(3);
  expect(written.slice(2)).toMatchObject([[{ subject: { client: 7 }, requests: 1 }]]);
  await looks.close();
});

test('writes everything at a stop', async () => {
  const looks = recorder();
  look(looks, 7);
  look(looks, 0);
  look(looks, 8, { ...actor, userId: 4 });
  await looks.close();
  expect(written.flat()).toHaveLength(3);
});

test('ignores people of one organisation', async () => {
  const looks = recorder();
  look(looks, 7, { ...actor, organisationId: 7, organisationIds: [7] });
  look(looks, 1);
  await looks.close();
  expect(written).toEqual([]);
});
