/** Accesses in memory: what is written when, and what a failed write and a stop keep. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { movableClock } from '../../core/clock.ts';
import type { Actor } from '../../core/http/actor.ts';
import { silentLog } from '../../core/log.ts';
import { type ClientAccess, createAccessRecorder } from './client-access-log.recorder.ts';

const actor = { userId: 3, organisationId: 1, organisationIds: [1, 7, 8], displayName: 'Ada' } as unknown as Actor;
const clock = movableClock(1_000_000);
let written: ClientAccess[][] = [];
let isBroken = false;

const recorder = () =>
  createAccessRecorder({
    clock,
    log: silentLog,
    write: async (_person, accesses) => {
      if (isBroken) throw new Error('no database');
      written.push([...accesses]);
    },
  });
const read = (of: ReturnType<typeof recorder>, client: number, who = actor) =>
  of.recordAccess(who, alertsApi.list, { params: { client } });
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

test('writes a new access soon, and repeated ones later as a count', async () => {
  const log = recorder();
  for (let index = 0; index < 100; index++) read(log, 7);
  await pass(1_000);
  expect(written).toMatchObject([[{ requests: 100, subject: { client: 7 }, kind: 'alerts', channel: 'portal' }]]);
  read(log, 7);
  read(log, 8);
  await pass(1_000);
  expect(written).toHaveLength(2);
  expect(written[1]).toMatchObject([{ subject: { client: 8 } }]);
  await pass(60_000);
  expect(written[2]).toMatchObject([{ subject: { client: 7 }, requests: 1 }]);
  await log.close();
  expect(written).toHaveLength(3);
});

test('keeps what could not be written, with its count', async () => {
  const log = recorder();
  isBroken = true;
  read(log, 7);
  await pass(1_000);
  read(log, 7);
  await pass(1_000);
  expect(written).toEqual([]);
  isBroken = false;
  await pass(1_000);
  expect(written.flat()).toMatchObject([{ requests: 2 }]);
  await log.close();
});

test('writes what is new of one person, or all', async () => {
  const log = recorder();
  read(log, 7);
  await pass(1_000);
  read(log, 7);
  read(log, 8);
  read(log, 8, { ...actor, userId: 4 });
  await log.flushNew(3);
  expect(written.slice(1)).toMatchObject([[{ subject: { client: 8 } }]]);
  await log.flush(3);
  expect(written.slice(2)).toMatchObject([[{ subject: { client: 7 }, requests: 1 }]]);
  await log.close();
});

test('writes everything at a stop', async () => {
  const log = recorder();
  read(log, 7);
  read(log, 0);
  read(log, 8, { ...actor, userId: 4 });
  await log.close();
  expect(written.flat()).toHaveLength(3);
});

test('ignores people of one organisation', async () => {
  const log = recorder();
  read(log, 7, { ...actor, organisationId: 7, organisationIds: [7] });
  read(log, 1);
  await log.close();
  expect(written).toEqual([]);
});
