import { expect, test } from 'vitest';
import { createBatchLoader } from './batch-loader.ts';

test('starts later lookups while earlier ones hang', async () => {
  let queries = 0;
  const load = createBatchLoader((values: ReadonlyMap<string, number>) =>
    ++queries <= 2 ? new Promise<Map<string, number>>(() => {}) : Promise.resolve(new Map(values)),
  );
  for (const key of ['a', 'b']) {
    void load(key, 0);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  }
  expect(queries).toBe(2);
  expect(await Promise.all([load('c', 3), load('d', 4)])).toEqual([3, 4]);
  expect(queries).toBe(3);
});

test('rejects only the callers of a failed lookup', async () => {
  let queries = 0;
  const load = createBatchLoader(async (values: ReadonlyMap<string, number>) => {
    if (++queries === 1) throw new Error('the database is away');
    return new Map(values);
  });
  await expect(Promise.all([load('a', 1), load('b', 2)])).rejects.toThrow('the database is away');
  expect(await load('c', 3)).toBe(3);
});
