/** The proof of a scope, checked as PostgreSQL checks it: two digests over the stored pads. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { provenScope, scopeKeyOf, storeScopeKey } from './scope-proof.ts';

const key = scopeKeyOf('postgres://parapet_app:p%40ss@127.0.0.1/parapet');
const clientOf = (processID: number) => ({ processID }) as unknown as pg.PoolClient;

async function padsOf(of: Buffer): Promise<[Buffer, Buffer]> {
  const sent: unknown[] = [];
  const owner = { query: async (_text: string, values?: unknown[]) => void sent.push(...(values ?? [])) };
  await storeScopeKey(owner as unknown as pg.Client, of);
  return sent as [Buffer, Buffer];
}

test('computes an HMAC over the backend and its scope, as its pads give it', async () => {
  const [inner, outer] = await padsOf(key);
  expect([inner.length, outer.length]).toEqual([64, 64]);
  const digest = (...parts: (string | Buffer)[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
  for (const visible of ['10,11', '*', '']) {
    const proof = digest(outer, digest(inner, `4711 ${visible}`)).toString('hex');
    expect(provenScope(key, clientOf(4711), visible)).toBe(`${proof} ${visible}`);
  }
});

test('differs by backend, scope and password, and is kept for a connection', () => {
  const client = clientOf(1);
  const first = provenScope(key, client, '10');
  expect(provenScope(key, client, '10')).toBe(first);
  const other = scopeKeyOf('postgres://parapet_app:other@127.0.0.1/parapet');
  expect(
    new Set([first, provenScope(key, client, '11'), provenScope(key, clientOf(2), '10'), provenScope(other, client, '10')]).size,
  ).toBe(4);
  // Another key replaces what the connection had.
  expect(provenScope(key, client, '10')).toBe(first);
});
