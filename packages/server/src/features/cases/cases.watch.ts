/** Every minute: waits for a client that have lasted long enough end, and clocks that run out are told once. */
import type { Clock as CaseClock } from '@parapet/contract/caseList.ts';
import { warnAtShare } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type CaseRecord, changeCases, leaveAllTraces } from './cases.changes.ts';
import { nextSlaTimer, waitEnded } from './cases.clocks.ts';
import { elapsedIn, nextTarget } from './cases.targets.ts';

const atOnce = 200;
/** Of one run; what is left waits for the next minute. */
const maxRounds = 50;

/** Of each case whose clock is about to run out or has: `clock.state` is warning or breached. */
export interface NotifiedSla {
  record: CaseRecord;
  clock: CaseClock;
}
/** Inside the transaction, which has the portal's own scope. */
export type Told = (tx: Tx, told: readonly NotifiedSla[]) => Promise<void>;

const clockNames = {
  acknowledge: 'Time to acknowledge',
  contain: 'Time to contain',
  close: 'Time to close',
} as const;

export function createWatch({ db, clock, told }: { db: Database; clock: Clock; told: Told }) {
  const endWaits = async (tx: Tx, now: Date): Promise<number> => {
    const { rows } = await sql<CaseRecord>`
      select * from cases where closed_at is null and waiting_since is not null and wait_expires_at <= ${now}
      order by id limit ${atOnce} for update skip locked`.execute(tx);
    await changeCases(
      tx,
      clock,
      undefined,
      rows.map((record) => ({
        record,
        set: waitEnded(record, now.getTime()),
        action: 'case.waitEnded',
        history: { kind: 'status', text: 'The wait for the client has ended; the clocks run on' },
      })),
    );
    return rows.length;
  };

  const tellBreaches = async (tx: Tx, now: Date): Promise<number> => {
    const { rows } = await sql<CaseRecord & { level: number }>`
      select c.*, o.subscription_level_id as level from cases c join organisations o on o.id = c.organisation_id
      cross join lateral (select
        case when c.acknowledged_at is null then 'acknowledge' when c.contained_at is null then 'contain' else 'close' end as name,
        case when ${elapsedIn(now)} > ${nextTarget} then 'breached'
          when c.waiting_since is null and ${elapsedIn(now)} > ${warnAtShare}::float8 * ${nextTarget} then 'warning' end as state) next
      where c.closed_at is null and next.state is not null and c.breach_told is distinct from next.name || ':' || next.state
      order by c.id limit ${atOnce} for update of c skip locked`.execute(tx);
    const news = rows.flatMap(({ level, ...record }): NotifiedSla[] => {
      const next = nextSlaTimer(record, level, now.getTime());
      return next?.state === 'breached' || next?.state === 'warning' ? [{ record, clock: next }] : [];
    });
    for (const [mark, alike] of Map.groupBy(news, ({ clock: { name, state } }) => `${name}:${state}`)) {
      const ids = alike.map(({ record }) => record.id);
      await tx.updateTable('cases').set({ breach_told: mark }).where(sql<boolean>`id = any(${ids}::integer[])`).execute();
    }
    await leaveAllTraces(
      tx,
      clock,
      undefined,
      news.map(({ record, clock: { name, state, targetMinutes } }) => ({
        record,
        action: 'case.breachTold',
        history: {
          kind: 'status',
          text: `${clockNames[name]}: ${state === 'breached' ? 'target missed' : 'target is about to be missed'} (${targetMinutes} minutes)`,
          isInternal: true,
        },
      })),
    );
    await told(tx, news);
    return rows.length;
  };

  /** Each part is a transaction of its own, so that one run never holds more than a few cases. */
  const work = async (part: (tx: Tx, now: Date) => Promise<number>): Promise<void> => {
    for (let round = 0; round < maxRounds; round++) {
      const done = await scoped(db, systemScope, (tx) => part(tx, new Date(clock.now())), { statementTimeoutMs: 30_000 });
      if (done < atOnce) return;
    }
  };

  return {
    async watchClocks(): Promise<void> {
      await work(endWaits);
      await work(tellBreaches);
    },
  };
}
