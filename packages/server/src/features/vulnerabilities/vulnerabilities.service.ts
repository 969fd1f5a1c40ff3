/** Vulnerabilities for users: the score with its categories, devices, findings and acceptances. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Finding, vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queryRows } from '../../domain/query/listed.ts';
import { readWhole } from './advisories.records.ts';
import type { AdvisoriesService } from './advisories.service.ts';
import { findCategoryInputs } from './categories.store.ts';
import { categoriesOf } from './categories.ts';
import type { MatchingService } from './matching.service.ts';
import { readScan } from './scans.formats.ts';
import {
  countAll,
  type FindingListQuery,
  findDevice,
  findForChange,
  listClients,
  listDevices,
  listFindings,
  listSources,
  removeFixed,
  updateAcceptance,
} from './vulnerabilities.store.ts';

export type VulnerabilitiesService = ReturnType<typeof createVulnerabilitiesService>;
type Answer<Call extends keyof typeof vulnerabilitiesApi> = AnswerOf<(typeof vulnerabilitiesApi)[Call]>;

type Query<Call extends 'list' | 'devices'> = z.output<(typeof vulnerabilitiesApi)[Call]['query']>;

interface Acceptance {
  isAccepted: boolean;
  reason: string;
  until?: string | undefined;
}

const paged = ({ page, pageSize }: { page: number; pageSize: number }) => ({ limit: pageSize, offset: (page - 1) * pageSize });
const maxClients = 2_000;
const maxScanBytes = 50 * 1024 * 1024;
const scansAtOnce = 3;
const scanTimeoutMs = 120_000;
const longestAcceptanceMs = 366 * dayMs;

export interface VulnerabilitiesDeps {
  db: Database;
  clock: Clock;
  matching: Pick<MatchingService, 'run' | 'keepScan'>;
  advisories: AdvisoriesService;
  /** Returns whether a rule is active, by key; the database also keeps former ones. */
  isLoaded: (key: string) => boolean;
  alertRetentionMonths: number;
}

export function createVulnerabilitiesService(deps: VulnerabilitiesDeps) {
  const { db, clock, matching, advisories, isLoaded, alertRetentionMonths } = deps;
  let reading = 0;
  return {
    advisories,
    async scanOwn(organisationId: number, deviceId: string, text: string): Promise<void> {
      const { tool, ...scan } = readScan(Buffer.from(text));
      await scoped(db, { organisationIds: [organisationId] }, (tx) =>
        matching.keepScan(tx, { organisationId, deviceId, source: tool }, scan),
      );
    },
    match: matching.run,

    async customer(actor: Actor, client: number): Promise<Answer<'customer'>> {
      const scope = scopeFor(actor, client);
      return scoped(
        db,
        scope,
        async (tx) => {
          const now = clock.now();
          return {
            ...(await countAll(tx, scope, now)),
            ...categoriesOf(await findCategoryInputs(tx, scope, now, isLoaded)),
          };
        },
        { readOnly: true },
      );
    },

    async devices(actor: Actor, client: number, query: Query<'devices'>): Promise<Answer<'devices'>> {
      const scope = scopeFor(actor, client);
      const listQuery = { text: query.text, ...paged(query) };
      const { results, total } = await scoped(db, scope, (tx) => listDevices(tx, scope, listQuery, clock.now()), {
        readOnly: true,
      });
      return { results: results.map((row) => ({ ...row, scannedAt: row.scannedAt?.toISOString() ?? null })), total };
    },

    async clients(actor: Actor): Promise<Answer<'clients'>> {
      const scope = scopeOf(actor);
      const rows = await scoped(db, scope, (tx) => listClients(tx, scope, clock.now()), { readOnly: true });
      return { results: rows.slice(0, maxClients), total: rows.length };
    },

    async list(actor: Actor, client: number, { exploited, ...query }: Query<'list'>): Promise<Answer<'list'>> {
      const scope = scopeFor(actor, client);
      const rows = queryRows(actor, scope, query.query, clock.now());
      const listQuery: FindingListQuery = {
        ...query,
        ...paged(query),
        rows,
        state: query.state.length === 0 && !rows ? ['open'] : query.state,
        exploited: exploited === undefined ? undefined : exploited === 'true',
      };
      return scoped(db, scope, (tx) => listFindings(tx, scope, listQuery, clock.now()), { readOnly: true });
    },

    accept: (actor: Actor, client: number, id: number, acceptance: Acceptance): Promise<Finding> =>
      accept(deps, actor, client, id, acceptance),

    /** Refuses more than `scansAtOnce` uploads at a time. */
    async uploadScan(
      actor: Actor,
      client: number,
      device: string,
      stream: AsyncIterable<Uint8Array>,
    ): Promise<Answer<'uploadScan'>> {
      const scope = scopeFor(actor, client);
      const of = await scoped(db, scope, (tx) => findDevice(tx, scope, device), { readOnly: true });
      if (!of) throw problem.notFound('device', device);
      if (reading >= scansAtOnce) throw problem.unavailable('Other results are being imported. Try again in a moment.', 5);
      reading++;
      try {
        return await storeScan(deps, actor, client, of.id, stream);
      } finally {
        reading--;
      }
    },

    /** Deletes findings fixed longer ago than the alert retention. */
    async dropOld(): Promise<void> {
      await scoped(db, 'system', (tx) => removeFixed(tx, alertRetentionMonths, new Date(clock.now())), {
        statementTimeoutMs: scanTimeoutMs,
      });
    },

    async sources(): Promise<Answer<'listAdvisorySources'>> {
      const rows = await scoped(db, 'system', listSources, { readOnly: true });
      const results = rows.map(({ kind, count, newest_at, imported_at, origin }) => ({
        kind: kind.slice(0, 2_000),
        count,
        newestAt: newest_at?.toISOString() ?? null,
        importedAt: imported_at.toISOString(),
        origin,
      }));
      return { results, total: results.length };
    },
  };
}

/** Accepting again replaces reason and end. */
async function accept(
  { db, clock }: VulnerabilitiesDeps,
  actor: Actor,
  client: number,
  id: number,
  { isAccepted, reason, until }: Acceptance,
): Promise<Finding> {
  const scope = scopeFor(actor, client);
  const now = clock.now();
  const end = isAccepted ? acceptanceEnd(reason, until, now) : undefined;
  return scoped(db, scope, async (tx) => {
    const before = await findForChange(tx, scope, id);
    if (!before) throw problem.notFound('finding', id);
    if (before.fixed_at) throw problem.conflict(`Finding ${id} is already fixed and can’t be accepted.`);
    const acceptance = end && { until: end, by: actor.userId, byName: actor.displayName, reason };
    await updateAcceptance(tx, scope, id, acceptance);
    await recordAudit(tx, actor, {
      action: isAccepted ? 'finding.accepted' : 'finding.reopened',
      organisationId: before.organisation_id,
      target: String(id),
      before: { acceptedUntil: before.accepted_until?.toISOString() ?? null, reason: before.accept_reason },
      after: { acceptedUntil: end?.toISOString() ?? null, reason: isAccepted ? reason : '' },
    });
    const one: FindingListQuery = { id, text: '', severity: [], state: [], limit: 1, offset: 0 };
    const { results } = await listFindings(tx, scope, one, now);
    if (!results[0]) throw problem.notFound('finding', id);
    return results[0];
  });
}

async function storeScan(
  { db, matching }: VulnerabilitiesDeps,
  actor: Actor,
  client: number,
  deviceId: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<Answer<'uploadScan'>> {
  const bytes = await readWhole(stream, maxScanBytes, () =>
    problem.tooLarge(
      `A result can have at most ${maxScanBytes / 1024 / 1024} MB. Remove everything except packages and vulnerabilities.`,
    ),
  );
  const { tool, skips, ...scan } = readScan(bytes);
  const { packages } = scan;
  const changes = await scoped(
    db,
    scopeFor(actor, client),
    async (tx) => {
      const changes = await matching.keepScan(tx, { organisationId: client, deviceId, source: tool }, scan);
      await recordAudit(tx, actor, {
        action: 'scan.uploaded',
        organisationId: client,
        target: deviceId,
        after: { tool, packages, ...changes, skipped: skips.count },
      });
      return changes;
    },
    { statementTimeoutMs: scanTimeoutMs },
  );
  return { tool, packages, ...changes, skipped: skips.texts };
}

function acceptanceEnd(reason: string, until: string | undefined, now: number): Date {
  if (reason === '') throw problem.invalid({ reason: ['Enter a reason.'] });
  if (until === undefined) throw problem.invalid({ until: ['Enter an end date.'] });
  const end = Date.parse(until);
  if (end <= now) throw problem.invalid({ until: ['This date has passed. Choose a later one.'] });
  if (end > now + longestAcceptanceMs) throw problem.invalid({ until: ['A finding can be accepted for at most one year.'] });
  return new Date(end);
}
