/** Counts of every client and month. A month stays open for two days after its end, and is closed with its last count. */
import { billingMonthOf, countedBack, isOverdue, monthAfter } from '@parapet/contract/rules/billing.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import * as store from './billing.counts.store.ts';

export interface CountDeps {
  db: Database;
  clock: Clock;
}

/** Organisations of one run; the next one follows within a minute. */
const maxOrganisations = 200;

/** Counts this month of an organisation, and those before it that are open. Repeating it changes nothing. */
export async function countOrganisation({ db, clock }: CountDeps, organisationId: number): Promise<void> {
  const now = clock.now();
  const current = { organisationId, month: billingMonthOf(now) };
  await scoped(db, 'system', async (tx) => {
    const open = await store.listOpen(tx, current, monthAfter(current.month, -countedBack));
    for (const month of [...open, current.month]) {
      const of = { organisationId, month };
      if (!(await store.openMonth(tx, of, new Date(now)))) continue;
      await store.addDevices(tx, of);
      if (month === current.month) await store.addUsers(tx, of, new Date(now));
      await store.saveCounts(tx, of, { now: new Date(now), isClosed: isOverdue(month, now) });
    }
  });
}

/** Counts what was not counted within an hour. */
export async function countDue(deps: CountDeps): Promise<void> {
  const { db, clock } = deps;
  const now = clock.now();
  const due = await scoped(db, 'system', (tx) =>
    store.listDue(tx, billingMonthOf(now), new Date(now - hourMs), maxOrganisations),
  );
  for (const organisationId of due) await countOrganisation(deps, organisationId);
}
