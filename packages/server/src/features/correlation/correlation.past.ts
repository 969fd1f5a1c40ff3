/** Past alerts of a client grouped by two sets, through the steps by which new alerts become cases. */
import type { Database } from '../../core/db/connect.ts';
import { readScoped } from '../../core/db/scope.ts';
import { readIdentities, usersOf } from './correlation.identities.read.ts';
import { listIdentityRules } from './correlation.identities.store.ts';
import type { Identities } from './correlation.identities.ts';
import { type PastCase, PastMemory } from './correlation.past.memory.ts';
import { listPartiesBefore, listPastAlerts, type PastRef } from './correlation.past.store.ts';
import { maxMoved, readReported } from './correlation.reported.ts';
import type { Grouping } from './correlation.rules.ts';
import { type Rule, readAlerts } from './correlation.store.ts';
import { separateSuppressed } from './correlation.suppressed.ts';
import { countParties, judgeAlerts, type Reported } from './correlation.surroundings.ts';

/** Alerts that are judged between two reports of progress. */
const stepSize = 500;

export interface Range {
  start: Date;
  end: Date;
}

interface AlertFacts {
  title: string;
  criticality: number;
  deviceName: string | null;
  userName: string | null;
}

export interface PastWorld {
  /** By the sets in their order. */
  cases: readonly PastCase[][];
  /** Alerts judged. */
  alerts: number;
  firstAt: number | undefined;
  facts: ReadonlyMap<number, AlertFacts>;
  isPartial: boolean;
}

/**
 * Alerts that were raised together are judged together, without work of people on cases: they are neither closed nor separated. Names are joined by
 * the identity rules of today. `onStep` returns false to stop; the answer is then undefined.
 */
export async function judgePast(
  db: Database,
  organisationId: number,
  { start, end }: Range,
  sets: readonly Grouping[],
  maxAlerts: number,
  onStep: (judged: number) => Promise<boolean>,
): Promise<PastWorld | undefined> {
  const scope = { organisationIds: [organisationId] };
  const { refs, parties, identityRules } = await readScoped(db, scope, async (tx) => ({
    refs: await listPastAlerts(tx, organisationId, start, end, maxAlerts + 1),
    parties: await listPartiesBefore(tx, organisationId, start),
    identityRules: await listIdentityRules(tx, organisationId),
  }));
  const isPartial = refs.length > maxAlerts;
  // The newest ones: older alerts change less of what is to come.
  const judged = isPartial ? refs.slice(-maxAlerts) : refs;
  const rules = new Map<number, Rule>();
  const memories = sets.map(
    () =>
      new PastMemory(
        rules,
        parties.map((party) => ({ ...party })),
      ),
  );
  const facts = new Map<number, AlertFacts>();
  for (const [done, step] of stepsOf(judged)) {
    const { reported, identities } = await readScoped(
      db,
      scope,
      async (tx) => {
        const placed = await readAlerts(tx, organisationId, step);
        const byId = new Map(placed.map((alert) => [alert.id, alert]));
        const { shown } = await separateSuppressed(
          tx,
          organisationId,
          step.flatMap(({ id }) => byId.get(id) ?? []),
        );
        const parts: Reported[] = [];
        for (const group of groupsOf(shown)) {
          const read = await readReported(tx, organisationId, group);
          for (const [id, rule] of read.rules) rules.set(id, rule);
          parts.push(...read.reported);
        }
        return { reported: parts, identities: await readIdentities(tx, organisationId, identityRules, usersOf(parts)) };
      },
      { statementTimeoutMs: 60_000 },
    );
    for (const { alert } of reported)
      facts.set(alert.id, {
        title: rules.get(alert.ruleId)?.title ?? 'Alert',
        criticality: alert.criticality,
        deviceName: alert.deviceName,
        userName: alert.userName,
      });
    for (const [index, set] of sets.entries()) await judgeStep(memories[index]!, reported, { rules, identities }, set);
    if (!(await onStep(done))) return undefined;
  }
  return {
    cases: memories.map(({ cases }) => [...cases.values()]),
    alerts: judged.length,
    firstAt: judged[0]?.at.getTime(),
    facts,
    isPartial,
  };
}

/** Steps of about a size that end where alerts were raised together, with the number of alerts up to each end. */
function* stepsOf(refs: readonly PastRef[]): Generator<[done: number, step: PastRef[]]> {
  let step: PastRef[] = [];
  for (const [index, ref] of refs.entries()) {
    if (step.length >= stepSize && ref.raisedAt.getTime() !== step.at(-1)!.raisedAt.getTime()) {
      yield [index, step];
      step = [];
    }
    step.push(ref);
  }
  if (step.length > 0) yield [refs.length, step];
}

/** As many alerts at once as sign-ins are looked up for. */
function* groupsOf<T>(alerts: readonly T[]): Generator<T[]> {
  for (let from = 0; from < alerts.length; from += maxMoved) yield alerts.slice(from, from + maxMoved);
}

async function judgeStep(
  memory: PastMemory,
  reported: readonly Reported[],
  known: { rules: Map<number, Rule>; identities: Identities },
  set: Grouping,
): Promise<void> {
  const batches = Map.groupBy(reported, ({ alert }) => alert.raisedAt.getTime());
  for (const batch of batches.values()) {
    const parties = await countParties(memory, batch, known.identities);
    const { candidates, judgement } = await judgeAlerts(memory, batch, parties, known, set);
    memory.keep(candidates, batch, judgement);
  }
}
