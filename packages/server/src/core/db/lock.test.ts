import { expect, test } from 'vitest';
import { runAs, useTestDatabase } from '../../../test/database.ts';
import { holdLock, withExclusiveLock } from './lock.ts';

const database = useTestDatabase();

test('excludes other holders until it is released', async () => {
  const first = await holdLock(database.url, 1, () => {});
  expect(first).toBeDefined();
  expect(await holdLock(database.url, 1, () => {})).toBeUndefined();
  await first?.release();
  const second = await holdLock(database.url, 1, () => {});
  expect(second).toBeDefined();
  await second?.release();
});

test('runs work in one process, stops it when the database breaks the lock, and restarts it', async () => {
  const closing = new AbortController();
  const seen: string[] = [];
  let underWay = 0;
  const work = (name: string) => async (until: AbortSignal) => {
    seen.push(name);
    expect(++underWay).toBe(1);
    await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
    underWay--;
  };
  const both = [
    withExclusiveLock(database.url, 2, closing.signal, work('a')),
    withExclusiveLock(database.url, 2, closing.signal, work('b')),
  ];
  await expect.poll(() => underWay).toBe(1);
  expect(seen).toHaveLength(1);
  await runAs(database.ownerUrl, "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'portal lock'");
  await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(2);
  expect(underWay).toBe(1);
  closing.abort();
  await Promise.all(both);
  expect(underWay).toBe(0);
}, 20_000);

test('throws errors of the work, but not an unavailable database', async () => {
  const closing = new AbortController();
  const broken = withExclusiveLock(database.url, 3, closing.signal, () => Promise.reject(new Error('no world')));
  await expect(broken).rejects.toThrow('no world');
  const away = withExclusiveLock('postgres://none@127.0.0.1:1/none', 3, closing.signal, async () => {});
  closing.abort();
  await away;
});
