/** Job of each minute: ends expired waits for the client, and notifies once about each SLA timer that is running or has run out. */
import { slaWarningShare } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { elapsedIn, nextTarget } from '../../domain/caseTimes.ts';
import { changeCases, recordCaseHistories } from './cases.changes.ts';
import { nextSlaTimer, waitEnded } from './cases.clocks.ts';
import type { CaseRecord, NotifiedSla, OnSlaNotified } from './cases.ports.ts';

const atOnce = 200;
/** Limit of one run; the rest follows in the next minute. */
const maxRounds = 50;

const slaTimerNames = {
  acknowledge: 'Time to acknowledge',
  contain: 'Time to contain',
  close: 'Time to close',
} as const;

export function createWatch({ db, clock, onSlaNotified }: { db: Database; clock: Clock; onSlaNotified: OnSlaNotified }) {
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
        history: { kind: 'status', text: 'Wait for the client ended; SLA timers resumed' },
      })),
    );
    return rows.length;
  };

  const notifyBreaches = async (tx: Tx, now: Date): Promise<number> => {
    const { rows } = await sql<CaseRecord & { level: number }>`
      select c.*, o.subscription_level_id as level from cases c join organisations o on o.id = c.organisation_id
      cross join lateral (select
        case when c.acknowledged_at is null then 'acknowledge' when c.contained_at is null then 'contain' else 'close' end as name,
        case when ${elapsedIn(now)} > ${nextTarget} then 'breached'
          when c.waiting_since is null and ${elapsedIn(now)} > ${slaWarningShare}::float8 * ${nextTarget} then 'warning' end as state) next
      where c.closed_at is null and next.state is not null and c.breach_told is distinct from next.name || ':' || next.state
      order by c.id limit ${atOnce} for update of c skip locked`.execute(tx);
    const notified = rows.flatMap(({ level, ...record }): NotifiedSla[] => {
      const next = nextSlaTimer(record, level, now.getTime());
      return next?.state === 'breached' || next?.state === 'warning' ? [{ record, clock: next }] : [];
    });
    for (const [mark, alike] of Map.groupBy(notified, ({ clock: { name, state } }) => `${name}:${state}`)) {
      const ids = alike.map(({ record }) => record.id);
      await tx.updateTable('cases').set({ breach_told: mark }).where(sql<boolean>`id = any(${ids}::integer[])`).execute();
    }
    await recordCaseHistories(
      tx,
      clock,
      undefined,
      notified.map(({ record, clock: { name, state, targetMinutes } }) => ({
        record,
        action: 'case.breachTold',
        history: {
          kind: 'status',
          text: `${slaTimerNames[name]}: ${state === 'breached' ? 'target missed' : 'target at risk'} (${targetMinutes} minutes)`,
          isInternal: true,
        },
      })),
    );
    await onSlaNotified(tx, notified);
    return rows.length;
  };

  /** Runs each batch in a transaction of its own, which bounds the number of locked cases. */
  const work = async (part: (tx: Tx, now: Date) => Promise<number>): Promise<void> => {
    for (let round = 0; round < maxRounds; round++) {
      const done = await scoped(db, systemScope, (tx) => part(tx, new Date(clock.now())), { statementTimeoutMs: 30_000 });
      if (done < atOnce) return;
    }
  };

  return {
    async watchClocks(): Promise<void> {
      await work(endWaits);
      await work(notifyBreaches);
    },
  };
}
