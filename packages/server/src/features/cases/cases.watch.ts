/** Every minute: waits for a client that have lasted long enough end, and clocks that run out are told once. */
import type { Clock as CaseClock } from '@parapet/contract/caseList.ts';
import { warnAtShare } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type CaseRecord, changeCase, leaveTraces, lockCase } from './cases.changes.ts';
import { nextClock, waitEnded } from './cases.clocks.ts';
import { elapsedIn, nextTarget } from './cases.targets.ts';

const atOnce = 200;
/** Of one run; what is left waits for the next minute. */
const maxRounds = 50;

/** Inside the transaction, which has the portal's own scope. `clock.state` is warning or breached. */
export type Told = (tx: Tx, told: { record: CaseRecord; clock: CaseClock }) => Promise<void>;

const clockNames = {
  acknowledge: 'Time to acknowledge',
  contain: 'Time to contain',
  close: 'Time to close',
} as const;

export function createWatch({ db, clock, told }: { db: Database; clock: Clock; told: Told }) {
  const endWaits = (tx: Tx, now: Date): Promise<number> =>
    forEach(
      tx,
      sql<{ id: number }>`select id from cases where closed_at is null and waiting_since is not null and wait_expires_at <= ${now}
        order by id limit ${atOnce} for update skip locked`,
      async (id) => {
        const record = await lockCase(tx, systemScope, id);
        await changeCase(tx, clock, undefined, record, {
          set: waitEnded(record, now.getTime()),
          action: 'case.waitEnded',
          history: { kind: 'status', text: 'The wait for the client has ended; the clocks run on' },
        });
      },
    );

  const tellBreaches = (tx: Tx, now: Date): Promise<number> =>
    forEach(
      tx,
      sql<{ id: number; level: number }>`
        select c.id, o.subscription_level_id as level from cases c join organisations o on o.id = c.organisation_id
        cross join lateral (select
          case when c.acknowledged_at is null then 'acknowledge' when c.contained_at is null then 'contain' else 'close' end as name,
          case when ${elapsedIn(now)} > ${nextTarget} then 'breached'
            when c.waiting_since is null and ${elapsedIn(now)} > ${warnAtShare}::float8 * ${nextTarget} then 'warning' end as state) next
        where c.closed_at is null and next.state is not null and c.breach_told is distinct from next.name || ':' || next.state
        order by c.id limit ${atOnce} for update of c skip locked`,
      async (id, { level }) => {
        const record = await lockCase(tx, systemScope, id);
        const next = nextClock(record, level, now.getTime());
        if (next?.state !== 'breached' && next?.state !== 'warning') return;
        await tx
          .updateTable('cases')
          .set({ breach_told: `${next.name}:${next.state}` })
          .where('id', '=', id)
          .execute();
        const what = next.state === 'breached' ? 'target missed' : 'target is about to be missed';
        await leaveTraces(tx, clock, undefined, record, {
          action: 'case.breachTold',
          history: {
            kind: 'status',
            text: `${clockNames[next.name]}: ${what} (${next.targetMinutes} minutes)`,
            isInternal: true,
          },
        });
        await told(tx, { record, clock: next });
      },
    );

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

async function forEach<R extends { id: number }>(
  tx: Tx,
  query: ReturnType<typeof sql<R>>,
  work: (id: number, row: R) => Promise<void>,
): Promise<number> {
  const { rows } = await query.execute(tx);
  for (const row of rows) await work(row.id, row);
  return rows.length;
}
