/** Webhook sources of a client, made by people. The secret is shown once and sealed; mappings are kept as versions. */
import { randomBytes } from 'node:crypto';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { EventMapping, MappingPreview } from '@parapet/contract/eventMapping.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { WebhookAuthentication, WebhookSource, webhookSourcesApi } from '@parapet/contract/webhookSources.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import { recordAudit } from '../../domain/audit.ts';
import { previewOf } from '../../pipeline/mapping/preview.ts';
import { sourceNameOf } from './webhook-sources.lookup.ts';
import {
  findSource,
  insertMapping,
  insertSource,
  listMappings,
  listSources,
  newSourceId,
  removeSource,
  updatePaused,
  updateSecret,
  type WebhookRow,
} from './webhook-sources.store.ts';

export interface WebhookSourcesDeps {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'seal' | 'open'>;
  /** Address of the portal for this client. */
  originOf: (organisationId: number) => Promise<string>;
}

const shownVersions = 50;

export type WebhookSourcesService = ReturnType<typeof createWebhookSourcesService>;

export function createWebhookSourcesService({ db, clock, keys, originOf }: WebhookSourcesDeps) {
  const seal = (organisationId: number, id: number, secret: string) =>
    scoped(db, 'system', (tx) => keys.seal(tx, { organisationId, column: 'webhook_sources.secret', id }, secret));
  const shownOf = async (row: WebhookRow): Promise<WebhookSource> => shown(row, await originOf(row.organisationId));

  return {
    async list(actor: Actor, client: number): Promise<AnswerOf<typeof webhookSourcesApi.list>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => listSources(tx, scope));
      const owners = [...new Set(rows.map(({ organisationId }) => organisationId))];
      const origins = new Map(await Promise.all(owners.map(async (id) => [id, await originOf(id)] as const)));
      return { results: rows.map((row) => shown(row, origins.get(row.organisationId) ?? '')), total: rows.length };
    },

    async preview(actor: Actor, client: number, input: { sample: string; mapping: EventMapping }): Promise<MappingPreview> {
      scopeFor(actor, client);
      return previewOf(input.sample, input.mapping, '', clock.now());
    },

    async create(
      actor: Actor,
      client: number,
      input: { name: string; authentication: WebhookAuthentication; header: string; mapping: EventMapping },
    ): Promise<AnswerOf<typeof webhookSourcesApi.create>> {
      const scope = scopeFor(actor, client);
      const id = await scoped(db, scope, newSourceId);
      const secret = newSecret();
      const sealed = await seal(client, id, secret);
      const { mapping, ...described } = input;
      const row = await scoped(db, scope, async (tx) => {
        const address = randomBytes(18).toString('base64url');
        if (!(await insertSource(tx, { id, organisationId: client, ...described, address, secret: sealed })))
          throw problem.conflict(`A webhook named "${input.name}" already exists.`);
        await insertMapping(tx, { organisationId: client, sourceId: id, version: 1, mapping, ...authorOf(actor) });
        const entry = { action: 'webhookSource.created', organisationId: client, target: String(id), after: input } as const;
        await recordAudit(tx, actor, entry);
        return find(tx, scope, id);
      });
      return { ...(await shownOf(row)), secret };
    },

    async saveMapping(
      actor: Actor,
      client: number,
      id: number,
      { mapping, version }: { mapping: EventMapping; version: number },
    ): Promise<WebhookSource> {
      const scope = scopeFor(actor, client);
      const row = await scoped(db, scope, async (tx) => {
        const { organisationId, ...before } = await find(tx, scope, id);
        const next = { organisationId, sourceId: id, version: version + 1, mapping, ...authorOf(actor) };
        if (before.version !== version || !(await insertMapping(tx, next)))
          throw problem.conflict('Someone else saved this mapping. Reload to see the newest version.');
        await recordAudit(tx, actor, {
          action: 'webhookSource.mappingSaved',
          organisationId,
          target: String(id),
          before: { version, mapping: before.mapping },
          after: { version: version + 1, mapping },
        });
        return find(tx, scope, id);
      });
      return shownOf(row);
    },

    ...createSimpleCalls(db),

    async replaceSecret(actor: Actor, client: number, id: number): Promise<AnswerOf<typeof webhookSourcesApi.replaceSecret>> {
      const scope = scopeFor(actor, client);
      const { organisationId } = await readScoped(db, scope, (tx) => find(tx, scope, id));
      const secret = newSecret();
      const sealed = await seal(organisationId, id, secret);
      const row = await scoped(db, scope, async (tx) => {
        await updateSecret(tx, scope, id, sealed);
        await recordAudit(tx, actor, { action: 'webhookSource.secretReplaced', organisationId, target: String(id) });
        return find(tx, scope, id);
      });
      return { ...(await shownOf(row)), secret };
    },
  };
}

async function find(tx: Tx, scope: Scope, id: number): Promise<WebhookRow> {
  const row = await findSource(tx, scope, id);
  if (!row) throw problem.notFound('webhook source', id);
  return row;
}

/** Calls that neither map nor seal. */
const createSimpleCalls = (db: Database) => ({
  async versions(actor: Actor, client: number, id: number): Promise<AnswerOf<typeof webhookSourcesApi.versions>> {
    const scope = scopeFor(actor, client);
    const rows = await readScoped(db, scope, async (tx) => {
      await find(tx, scope, id);
      return listMappings(tx, scope, id, shownVersions);
    });
    const results = rows.map(({ total: _total, savedAt, ...row }) => ({ ...row, savedAt: savedAt.toISOString() }));
    return { results, total: rows[0]?.total ?? 0 };
  },

  async pause(actor: Actor, client: number, id: number, isPaused: boolean): Promise<void> {
    const scope = scopeFor(actor, client);
    await scoped(db, scope, async (tx) => {
      const { organisationId } = await find(tx, scope, id);
      if (!(await updatePaused(tx, scope, id, isPaused))) return;
      const action = isPaused ? 'webhookSource.paused' : 'webhookSource.resumed';
      await recordAudit(tx, actor, { action, organisationId, target: String(id) });
    });
  },

  async remove(actor: Actor, client: number, id: number): Promise<void> {
    const scope = scopeFor(actor, client);
    await scoped(db, scope, async (tx) => {
      const { organisationId, name } = await find(tx, scope, id);
      await removeSource(tx, scope, id);
      const entry = { action: 'webhookSource.removed', organisationId, target: String(id), before: { name } } as const;
      await recordAudit(tx, actor, entry);
    });
  },
});

/** In the form of Standard Webhooks, which senders of that kind require. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

const authorOf = (actor: Actor) => ({ userId: actor.userId, userName: actor.displayName });

const iso = (at: Date | null) => at?.toISOString() ?? null;

const stateOf = ({ isPaused, refusal, lastEventAt }: WebhookRow): WebhookSource['state'] =>
  isPaused ? 'paused' : refusal !== null ? 'refusing' : lastEventAt ? 'receiving' : 'waiting';

const shown = (row: WebhookRow, origin: string): WebhookSource => ({
  id: row.id,
  clientOrganizationID: row.organisationId,
  name: row.name,
  source: sourceNameOf(row.name),
  address: `${origin}/webhook/${row.address}`,
  authentication: row.authentication,
  header: row.header,
  state: stateOf(row),
  mapping: row.mapping,
  version: row.version,
  events: row.events,
  refused: row.refused,
  lastEventAt: iso(row.lastEventAt),
  refusal: row.refusal,
  refusedAt: iso(row.refusedAt),
  createdAt: row.createdAt.toISOString(),
});
