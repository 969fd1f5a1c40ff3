/**
 * Correlation of alerts into cases. Raising queues each alert in its transaction; this service drains the queue per organisation under its lock, one
 * transaction per batch. The next run continues after a crash.
 */

import { publish } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { isRetryable, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { lockCorrelation } from '../../domain/alerts-lock.ts';
import { queueDeliveries } from '../../domain/causes.ts';
import { addArtifacts, insertCases, insertHistory, insertMembers, type Member, refreshCases } from './correlation.cases.ts';
import type { About } from './correlation.entities.ts';
import { countShadow, readGrouping } from './correlation.grouping.store.ts';
import { readIdentities, usersOf } from './correlation.identities.read.ts';
import { listIdentityRules } from './correlation.identities.store.ts';
import { type Bridge, type Candidate, canLeadUp, isOfCasesOnly, type Joined, type Opened } from './correlation.judge.ts';
import { databaseMemory } from './correlation.memory.ts';
import { splitCase, writeBridges } from './correlation.merges.ts';
import { type Learnt, listStale, placeNames, refreshNames } from './correlation.names.ts';
import { removePartiesBefore } from './correlation.parties.ts';
import { queueRaised } from './correlation.raised.ts';
import { changeIdentityRule, type IdentityChange } from './correlation.rejudge.ts';
import { readReported } from './correlation.reported.ts';
import { type Grouping, keptMs } from './correlation.rules.ts';
import * as store from './correlation.store.ts';
import { highest, lowest, withoutSuppressed } from './correlation.suppressed.ts';
import { countParties, judgeAlerts, learnNames } from './correlation.surroundings.ts';

const maxAlerts = 4_000;
const maxTries = 5;

export type CorrelationService = ReturnType<typeof createCorrelationService>;

/** A case was closed or an alert was moved manually during a batch, which is then repeated. */
class Overtaken extends Error {}

export function createCorrelationService({ db, log }: { db: Database; log: Log }) {
  const runBatch = async (organisationId: number): Promise<number> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await scoped(db, { organisationIds: [organisationId] }, (tx) => correlateBatch(tx, organisationId), {
          statementTimeoutMs: 30_000,
        });
      } catch (error) {
        if (attempt >= maxTries || !(error instanceof Overtaken || isRetryable(error))) throw error;
        log.debug({ err: error, organisationId }, 'a batch of alerts is correlated again');
      }
    }
  };

  const inScope = <T>(organisationId: number, work: (tx: Tx) => Promise<T>) =>
    scoped(db, { organisationIds: [organisationId] }, work, { statementTimeoutMs: 30_000 });

  const service = {
    listIdentityRules: (organisationId: number) => inScope(organisationId, (tx) => listIdentityRules(tx, organisationId)),

    /** Adds an identity rule or switches one on or off, and correlates the open cases again that it changes. */
    async changeIdentityRule(organisationId: number, change: IdentityChange): Promise<void> {
      await inScope(organisationId, (tx) => changeIdentityRule(tx, organisationId, change));
      await service.run(organisationId);
    },

    /** Separates a case from the one that it became part of. */
    separate: (organisationId: number, caseId: number, by: { by: string; now: Date }): Promise<void> =>
      inScope(organisationId, async (tx) => {
        await lockCorrelation(tx, organisationId);
        await splitCase(tx, organisationId, caseId, by);
      }),

    /** Decides again whose identity rules or sightings changed; names from before the table are among them. */
    async refreshNames(): Promise<void> {
      for (const id of await scoped(db, 'system', listStale))
        await inScope(id, async (tx) => {
          await lockCorrelation(tx, id);
          await refreshNames(tx, id);
        });
    },

    /** Drains the queue of one organisation or of all. Returns the number of processed alerts. */
    async run(organisationId?: number): Promise<number> {
      const waiting =
        organisationId === undefined ? await scoped(db, 'system', store.listOrganisationsWaiting) : [organisationId];
      let total = 0;
      let failure: unknown;
      for (const id of waiting) {
        try {
          for (let done = maxAlerts; done === maxAlerts; total += done) done = await runBatch(id);
        } catch (error) {
          // An error in one organisation must not stop the others.
          failure ??= error;
          log.error({ err: error, organisationId: id }, 'alerts could not be correlated');
        }
      }
      if (failure !== undefined) throw failure;
      return total;
    },
  };
  return service;
}

async function correlateBatch(tx: Tx, organisationId: number): Promise<number> {
  await lockCorrelation(tx, organisationId);
  const { queued, alerts } = await store.readQueued(tx, organisationId, maxAlerts);
  if (queued.length === 0) return 0;
  const free = await withoutSuppressed(
    tx,
    organisationId,
    alerts.filter((alert) => !alert.isPlaced),
  );
  const learnt = free.length > 0 ? await placeAlerts(tx, organisationId, free) : undefined;
  await placeNames(
    tx,
    organisationId,
    alerts.map(({ userName }) => userName),
    learnt,
  );
  await queueRaised(
    tx,
    organisationId,
    alerts.filter(({ isAgain }) => !isAgain),
  );
  await store.removeQueued(tx, organisationId, queued);
  return queued.length;
}

interface Known {
  alert: store.WaitingAlert;
  about: About;
}

async function placeAlerts(tx: Tx, organisationId: number, alerts: readonly store.WaitingAlert[]): Promise<Learnt> {
  // Independent queries run concurrently, here and below.
  const [{ live, shadows }, { rules, reported, about }] = await Promise.all([
    readGrouping(tx, organisationId),
    readReported(tx, organisationId, alerts),
  ]);
  const known = new Map<number, Known>(reported.map((each) => [each.alert.id, each]));
  const { rules: identityRules, learnt } = await learnNames(tx, organisationId, reported);
  const identities = await readIdentities(tx, organisationId, identityRules, usersOf(reported));
  const memory = databaseMemory(tx, organisationId);
  const partiesOf = await countParties(memory, reported, identities);
  const judgeBy = (set: Grouping) => judgeAlerts(memory, reported, partiesOf, { rules, identities }, set);
  const { candidates, sightings, judgement } = await judgeBy(live);
  const { joined, opened, bridges } = judgement;
  for (const shadow of shadows)
    await countShadow(tx, organisationId, shadow.id, candidates, judgement, (await judgeBy(shadow.set)).judgement);

  // Alerts of earlier batches that join a case now are read like new ones.
  const times = new Map(sightings.map((each) => [each.alertId, each.at]));
  const older = joined
    .filter(({ alertId }) => !known.has(alertId))
    .map(({ alertId }) => ({ id: alertId, at: new Date(times.get(alertId)!) }));
  const [olderAlerts, olderFields] = await Promise.all([
    store.readAlerts(tx, organisationId, older),
    store.readFields(tx, organisationId, older),
  ]);
  // Moved manually or suppressed since: skipped.
  for (const alert of olderAlerts)
    if (!alert.isPlaced) known.set(alert.id, { alert, about: about(alert, olderFields.get(alert.id)) });

  const placed = joined.filter(({ alertId }) => known.has(alertId));
  const { members, newIds } = await writeMembers(tx, organisationId, known, placed, opened, bridges);
  const olderIds = new Set(older.map(({ id }) => id));
  await Promise.all([
    keepEntities(tx, organisationId, candidates, known, members),
    store.placeEntities(
      tx,
      organisationId,
      members.filter((member) => olderIds.has(member.alertId)).map((member) => ({ id: member.alertId, caseId: member.caseId })),
    ),
    addArtifacts(
      tx,
      organisationId,
      members.flatMap(({ alertId, caseId }) => known.get(alertId)!.about.artifacts.map((artifact) => ({ ...artifact, caseId }))),
    ),
  ]);
  if (!(await writeBridges(tx, organisationId, bridges, (alertId) => known.get(alertId)!.alert.raisedAt)))
    throw new Overtaken('a case was dealt with while it became part of another');
  await logJoins(tx, organisationId, members, newIds);
  return learnt;
}

/** Opens the new cases and adds the placed alerts. Throws Overtaken when a case or an alert changed in the meantime. */
async function writeMembers(
  tx: Tx,
  organisationId: number,
  known: ReadonlyMap<number, Known>,
  placed: readonly Joined[],
  opened: readonly Opened[],
  bridges: readonly Bridge[],
): Promise<{ members: Member[]; newIds: ReadonlySet<number> }> {
  const joinedOpen = [
    ...new Set([...placed.map(({ caseId }) => caseId), ...bridges.flatMap(({ from, into }) => [from, into])]),
  ].filter((id) => id > 0);
  const locked = await store.lockOpenCases(tx, organisationId, joinedOpen);
  if (locked.size < joinedOpen.length) throw new Overtaken('a case was closed while alerts joined it');
  const newIds = await insertCases(
    tx,
    organisationId,
    opened.map(({ alertId }) => known.get(alertId)!.alert),
  );
  const idOf = new Map(opened.map(({ id }, index) => [id, newIds[index]!]));
  const members: Member[] = placed.map(({ alertId, caseId, sentence }) => {
    const { alert } = known.get(alertId)!;
    return {
      caseId: idOf.get(caseId) ?? caseId,
      alertId,
      at: alert.at.getTime(),
      raisedAt: alert.raisedAt.getTime(),
      ruleId: alert.ruleId,
      criticality: alert.criticality,
      sentence,
    };
  });
  if ((await insertMembers(tx, organisationId, members)) < members.length)
    throw new Overtaken('an alert was moved manually in the meantime');
  return { members, newIds: new Set(newIds) };
}

async function keepEntities(
  tx: Tx,
  organisationId: number,
  candidates: readonly Candidate[],
  known: ReadonlyMap<number, Known>,
  members: readonly Member[],
): Promise<void> {
  const caseOf = new Map(members.map((member) => [member.alertId, member.caseId]));
  await store.insertEntities(
    tx,
    organisationId,
    candidates.flatMap((candidate) => {
      const { id, at, ruleId, criticality, party } = candidate;
      const caseId = caseOf.get(id) ?? null;
      // Never read: most alerts of a client are of this kind.
      if (caseId === null && !canLeadUp(candidate)) return [];
      // As reported: identity rules apply whenever they are read.
      return known
        .get(id)!
        .about.entities.filter((entity) => caseId !== null || !isOfCasesOnly(entity))
        .map((entity) => ({ ...entity, alertId: id, at, ruleId, criticality, party, caseId }));
    }),
  );
  const before = new Date(lowest(candidates.map((candidate) => candidate.at)) - keptMs);
  await store.removeEntitiesBefore(tx, organisationId, before);
  await removePartiesBefore(tx, organisationId, before);
}

/** Refreshes the cases, writes their timeline and publishes their change. */
async function logJoins(tx: Tx, organisationId: number, members: readonly Member[], fresh: ReadonlySet<number>): Promise<void> {
  const byCase = Map.groupBy(members, ({ caseId }) => caseId);
  const ids = [...byCase.keys()].sort((a, b) => a - b);
  const newest = (caseId: number) => new Date(highest(byCase.get(caseId)!.map((member) => member.raisedAt)));
  await refreshCases(tx, organisationId, ids, newest);
  await insertHistory(
    tx,
    organisationId,
    ids.map((caseId) => {
      const own = byCase.get(caseId)!;
      const why = [...new Set(own.map((member) => member.sentence))].join('; ');
      const count = `${own.length} ${own.length === 1 ? 'alert' : 'alerts'}`;
      return {
        caseId,
        at: newest(caseId),
        text: fresh.has(caseId) ? `Opened with ${count}: ${why}.` : `${count} joined: ${why}.`,
      };
    }),
  );
  await queueDeliveries(
    tx,
    [...fresh].map((objectId) => ({ organisationId, event: 'case.opened', objectId, at: newest(objectId) })),
  );
  for (const isNew of [true, false]) {
    const caseIds = ids.filter((id) => fresh.has(id) === isNew);
    if (caseIds.length > 0) await publish(tx, 'case.changed', { organisationId, caseIds, isNew });
  }
}
