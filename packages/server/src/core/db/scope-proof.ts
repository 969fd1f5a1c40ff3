/**
 * Proof that PostgreSQL requires for a transaction’s scope (migration 0028, docs/decisions/0030-proven-scope.md): an HMAC-SHA-256 over the backend’s
 * process id and the scope. Its key derives from the password of the application’s role, which every process has in its URL and no statement can read.
 */
import { createHmac } from 'node:crypto';
import type pg from 'pg';

/** HMAC-SHA-256's block, in bytes. */
const blockBytes = 64;

/** Key for connections with this URL. Public where the URL has no password, as is the database. */
export const scopeKeyOf = (appUrl: string): Buffer =>
  createHmac('sha256', decodeURIComponent(new URL(appUrl).password))
    .update('parapet scope')
    .digest();

/** Values by connection and scope: a digest costs as much as a small statement, and scopes repeat. */
const proven = new WeakMap<pg.PoolClient, { key: Buffer; values: Map<string, string> }>();
const maxProven = 200;

/** The value of `app.scope` for a transaction on this connection; `visible` is `*`, or ids with commas. */
export function provenScope(key: Buffer, client: pg.PoolClient, visible: string): string {
  let known = proven.get(client);
  if (known?.key !== key) {
    known = { key, values: new Map() };
    proven.set(client, known);
  }
  const value = known.values.get(visible) ?? proofOf(key, client, visible);
  if (known.values.size < maxProven) known.values.set(visible, value);
  return value;
}

function proofOf(key: Buffer, client: pg.PoolClient, visible: string): string {
  // From the server's BackendKeyData; the types of pg leave it out.
  const { processID } = client as pg.PoolClient & { processID: number };
  return `${createHmac('sha256', key).update(`${processID} ${visible}`).digest('hex')} ${visible}`;
}

/** Stores the key where `proven_scope()` reads it and the application's role does not: as its two pads, so that a check is two digests. As the owner. */
export async function storeScopeKey(owner: pg.Client, key: Buffer): Promise<void> {
  const pad = (byte: number) => Buffer.from(Array.from({ length: blockBytes }, (_, index) => (key[index] ?? 0) ^ byte));
  await owner.query(
    `create table if not exists scope_key (is_only boolean primary key default true check (is_only), inner_pad bytea not null, outer_pad bytea not null)`,
  );
  await owner.query(
    `insert into scope_key (inner_pad, outer_pad) values ($1, $2)
     on conflict (is_only) do update set inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad
     where scope_key.inner_pad <> excluded.inner_pad`,
    [pad(0x36), pad(0x5c)],
  );
}
