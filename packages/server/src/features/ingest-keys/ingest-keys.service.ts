/** Keys by which shippers send for one organisation: shown once, stored as a hash, revocable immediately. */
import { createHash, randomBytes } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { apiKeyInUse } from '../../domain/api-key-in-use.ts';
import { recordAudit } from '../../domain/audit.ts';
import { findKey, insertKey, listKeys, revokeKey } from './ingest-keys.store.ts';

/** Keys have 256 bits of entropy, so a plain hash suffices. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

const iso = (at: Date | null) => at?.toISOString() ?? null;
type Row = Awaited<ReturnType<typeof insertKey>>;
const shown = (row: Row) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: iso(row.lastUsedAt),
  revokedAt: iso(row.revokedAt),
});

export type IngestKeysService = ReturnType<typeof createIngestKeysService>;

export function createIngestKeysService({ db }: { db: Database }) {
  const make = async (organisationId: number, name: string, actor?: Actor) => {
    const key = `pk_${randomBytes(32).toString('base64url')}`;
    return scoped(db, { organisationIds: actor ? [organisationId, actor.organisationId] : [organisationId] }, async (tx) => {
      const row = await insertKey(tx, {
        organisationId,
        name,
        prefix: key.slice(0, 9),
        hash: hashKey(key),
        createdByApiKeyId: await apiKeyInUse(tx, actor),
      });
      if (actor)
        await recordAudit(tx, actor, { action: 'ingestKey.created', organisationId, target: String(row.id), after: { name } });
      return { ...shown(row), key };
    });
  };

  return {
    async list(actor: Actor, client: number) {
      const scope = scopeFor(actor, client);
      const results = (await scoped(db, scope, (tx) => listKeys(tx, scope))).map(shown);
      return { results, total: results.length };
    },

    async create(actor: Actor, client: number, name: string) {
      scopeFor(actor, client);
      return make(client, name, actor);
    },

    /** For the command line, whose user is trusted. */
    async createUnattended(organisationId: number, name: string): Promise<string> {
      const exists = await scoped(db, 'system', (tx) =>
        tx.selectFrom('organisations').select('id').where('id', '=', organisationId).executeTakeFirst(),
      );
      if (!exists) throw problem.notFound('organisation', organisationId);
      return (await make(organisationId, name)).key;
    },

    async revoke(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        if (!(await revokeKey(tx, scope, id))) throw problem.notFound('ingest key', id);
        await recordAudit(tx, actor, { action: 'ingestKey.revoked', organisationId: client, target: String(id) });
      });
    },

    /** Organisation of a shipper’s key; undefined for an unknown or revoked one. */
    async organisationOf(key: string): Promise<number | undefined> {
      if (!key.startsWith('pk_') || key.length > 100) return undefined;
      return (await scoped(db, 'system', (tx) => findKey(tx, hashKey(key))))?.organisationId;
    },
  };
}
