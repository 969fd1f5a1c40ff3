/** Agents and shippers as shown to users, and the tokens by which hosts enrol. */
import type { agentsApi, Collector, EnrolmentToken } from '@parapet/contract/agents.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { compareVersions } from '@parapet/contract/rules/versions.ts';
import type { z } from 'zod';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { apiKeyInUse } from '../../domain/api-key-in-use.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { collectorTimes } from '../../domain/collectors.ts';
import { queryRows } from '../../domain/query/listed.ts';
import { type CollectorRow, insertToken, listCollectors, listIntake, listTokens, revoke } from './agents.store.ts';
import { newestReleases, newestVersions, splitVersion } from './releases.store.ts';

const iso = (at: Date | null) => at?.toISOString() ?? null;

export type AgentsService = ReturnType<typeof createAgentsService>;

export interface AgentsServiceDeps {
  db: Database;
  clock: Clock;
}

async function createToken(
  { db, clock }: AgentsServiceDeps,
  client: number,
  { name, maxUses, hours }: z.output<typeof agentsApi.createToken.body>,
  actor?: Actor,
): Promise<AnswerOf<typeof agentsApi.createToken>> {
  const token = `pe_${newToken()}`;
  const now = clock.now();
  return scoped(db, { organisationIds: actor ? [client, actor.organisationId] : [client] }, async (tx) => {
    const row = await insertToken(tx, {
      organisation_id: client,
      name,
      prefix: token.slice(0, 9),
      hash: hashOfToken(token),
      max_uses: maxUses,
      created_by: actor?.userId ?? null,
      created_at: new Date(now),
      expires_at: new Date(now + hours * hourMs),
      revoked_at: null,
      created_by_api_key_id: await apiKeyInUse(tx, actor),
    });
    await recordAudit(tx, actor ?? systemAuditor(client), {
      action: 'enrolmentToken.created',
      organisationId: client,
      target: String(row.id),
      after: { name, maxUses, expiresAt: row.expiresAt },
    });
    return { ...shownToken(row), token };
  });
}

const listAgents =
  ({ db, clock }: AgentsServiceDeps) =>
  async (
    actor: Actor,
    client: number,
    query: z.output<typeof agentsApi.list.query>,
  ): Promise<AnswerOf<typeof agentsApi.list>> => {
    const scope = scopeFor(actor, client);
    const now = clock.now();
    const { text, kind: kinds, state: states, pageSize: limit } = query;
    const times = collectorTimes(now);
    // The newest version is taken from all that the reader may see, whichever client is selected.
    const newest = await readScoped(db, scopeOf(actor), async (tx) => ({
      releases: await newestReleases(tx),
      versions: await newestVersions(tx, scopeOf(actor)),
    }));
    return readScoped(db, scope, async (tx) => {
      const { rows, total, counts } = await listCollectors(
        tx,
        scope,
        { text, kinds, states, rows: queryRows(actor, scope, query.query, now), limit, offset: (query.page - 1) * limit },
        times,
      );
      const intake = await listIntake(tx, scope, new Date(now - dayMs));
      return { results: rows.map((row) => shown(row, newest)), total, states: counts, intake };
    });
  };

export function createAgentsService(deps: AgentsServiceDeps) {
  const { db, clock } = deps;

  return {
    list: listAgents(deps),

    async revoke(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        if (!(await revoke(tx, scope, 'agents', id, new Date(clock.now())))) throw problem.notFound('agent', id);
        await recordAudit(tx, actor, { action: 'agent.revoked', organisationId: client, target: String(id) });
        // Ends the agent’s wait for tasks at once.
        await publish(tx, 'task.queued', { organisationId: client, agentIds: [id] });
      });
    },

    async listTokens(actor: Actor, client: number): Promise<AnswerOf<typeof agentsApi.listTokens>> {
      const scope = scopeFor(actor, client);
      const results = (await readScoped(db, scope, (tx) => listTokens(tx, scope))).map(shownToken);
      return { results, total: results.length };
    },

    async createToken(
      actor: Actor,
      client: number,
      wanted: z.output<typeof agentsApi.createToken.body>,
    ): Promise<AnswerOf<typeof agentsApi.createToken>> {
      scopeFor(actor, client);
      return createToken(deps, client, wanted, actor);
    },

    /** For the command line, whose user is trusted: one host, within a day. */
    async createTokenUnattended(organisationId: number, name: string): Promise<string> {
      const find = (tx: Tx) => tx.selectFrom('organisations').select('id').where('id', '=', organisationId).executeTakeFirst();
      if (!(await readScoped(db, 'system', find))) throw problem.notFound('organisation', organisationId);
      return (await createToken(deps, organisationId, { name, maxUses: 1, hours: 24 })).token;
    },

    async revokeToken(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        if (!(await revoke(tx, scope, 'enrolment_tokens', id, new Date(clock.now()))))
          throw problem.notFound('enrolment token', id);
        await recordAudit(tx, actor, { action: 'enrolmentToken.revoked', organisationId: client, target: String(id) });
      });
    },
  };
}

type TokenRow = Awaited<ReturnType<typeof listTokens>>[number];
const shownToken = (row: TokenRow): EnrolmentToken => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  revokedAt: iso(row.revokedAt),
});

function shown(row: CollectorRow, newest: { releases: Map<string, string>; versions: Map<string, string> }): Collector {
  const { platform, said, upgradeVersion, upgradeState, upgradeDetail, lastSeenAt, enrolledAt, ...rest } = row;
  const { kind, number } = splitVersion(row.version);
  const latest = platform !== null ? newest.releases.get(platform) : newest.versions.get(kind ?? '');
  // An upgrade instructed to a user is complete when the device’s events show it.
  const isReached =
    upgradeState === 'instructed' &&
    upgradeVersion !== null &&
    number !== undefined &&
    compareVersions(number, upgradeVersion) >= 0;
  return {
    ...rest,
    isOutdated: number !== undefined && latest !== undefined && compareVersions(latest, number) > 0,
    lastSeenAt: iso(lastSeenAt),
    enrolledAt: iso(enrolledAt),
    bufferBytes: said?.buffer?.bytes ?? null,
    isBufferFull: said?.buffer?.isFull ?? false,
    dropped: Object.entries(said?.dropped ?? {})
      .slice(0, 50)
      .map(([reason, count]) => ({ reason, count })),
    errors: said?.errors ?? [],
    upgrade:
      upgradeState === null
        ? null
        : { version: upgradeVersion ?? '', state: isReached ? 'done' : upgradeState, detail: upgradeDetail ?? '' },
  };
}
