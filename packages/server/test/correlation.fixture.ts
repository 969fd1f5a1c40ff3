/** Alerts as raising leaves them, and the cases that correlation makes of them. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { scoped } from '../src/core/db/scope.ts';
import type { TestApp } from './app.ts';
import { type SeedAlert, type Seeded, seedAlerts } from './seed.ts';

export function correlationFixture(t: Pick<TestApp, 'db'>) {
  /** Alerts as raising leaves them: with their event's copy, and in the queue. */
  async function raised(organisationId: number, alerts: (SeedAlert & { document?: object })[]): Promise<Seeded[]> {
    const seeded = await seedAlerts(t.db, organisationId, alerts);
    await scoped(t.db, 'system', async (tx) => {
      for (const [index, { id, at }] of seeded.entries()) {
        const document = alerts[index]!.document ?? { host: { name: 'x' } };
        await sql`insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document)
          values (${organisationId}, ${id}, ${new Date(at)}, ${randomUUID()}, ${new Date(at)}, '', '{}', ${JSON.stringify(document)})`.execute(
          tx,
        );
      }
      await queue(organisationId, seeded);
    });
    return seeded;
  }
  const queue = (organisationId: number, alerts: readonly Seeded[]) =>
    scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('correlation_queue')
        .values(alerts.map(({ id, at }) => ({ organisation_id: organisationId, alert_id: id, alert_at: new Date(at) })))
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
  const casesOf = (organisationId: number) =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('cases').selectAll().where('organisation_id', '=', organisationId).orderBy('id').execute(),
    );
  const membersOf = (organisationId: number) =>
    scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('case_alerts')
        .select(['case_id', 'alert_id', 'joined_by'])
        .where('organisation_id', '=', organisationId)
        .orderBy('alert_id')
        .execute(),
    );
  const update = (id: number, set: Record<string, unknown>) =>
    scoped(t.db, 'system', (tx) => tx.updateTable('cases').set(set).where('id', '=', id).execute());
  return { raised, queue, casesOf, membersOf, update };
}
