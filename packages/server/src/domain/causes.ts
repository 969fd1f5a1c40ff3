/** Events that may leave the portal: queued for the targets that rules choose, in the transaction of their cause. */
import type { DeliveryEvent } from '@parapet/contract/rules/deliveries.ts';
import { sql } from 'kysely';
import { publish } from '../core/bus.ts';
import type { Tx } from '../core/db/scope.ts';
import { storableJson } from './audit.ts';

export interface Cause {
  organisationId: number;
  event: DeliveryEvent;
  /** Id of the case, alert, response, silence, finding or schedule; of the organisation for a digest. */
  objectId: number;
  /** Tells events of one kind about one object apart, such as a version; repeating it queues nothing. */
  occasion?: string | number;
  at: Date;
  /** Undefined for the portal itself. */
  actorId?: number | undefined;
  /** Status that a case changed to. */
  status?: string;
  /** Severity of what is no case, 1 to 5, for the severity of rules. */
  criticality?: number;
  /** For the message, besides a case's own columns. Never internal texts or names of people. */
  facts?: Record<string, unknown>;
}

const subjects: Record<DeliveryEvent, string> = {
  'case.opened': 'case',
  'case.verdict': 'case',
  'case.acknowledged': 'case',
  'case.statusChanged': 'case',
  'case.slaWarning': 'case',
  'alert.raised': 'alert',
  'response.approvalNeeded': 'response',
  'source.silent': 'silence',
  'vulnerability.found': 'vulnerability',
  'vulnerability.fixed': 'vulnerability',
  'report.ready': 'report',
  'digest.weekly': 'digest',
};

/** Removes the unsent deliveries of a user's changes of cases that are about to be undone, in the same transaction. */
export async function withdrawDeliveries(
  tx: Tx,
  { userId, since }: { userId: number; since: Date },
  cases: readonly { id: number; version: number }[],
): Promise<void> {
  const undone = JSON.stringify(cases.map(({ id, version }) => ({ id, version })));
  await sql`select withdraw_deliveries(${userId}, ${since}, ${undone}::jsonb)`.execute(tx);
}

/** Queues deliveries and wakes their worker after the commit. */
export async function queueDeliveries(tx: Tx, causes: readonly Cause[]): Promise<void> {
  if (causes.length === 0) return;
  const rows = causes.map(({ occasion = '', ...cause }) => ({
    ...cause,
    subject: `${subjects[cause.event]}-${cause.objectId}`,
    key: `${cause.event}:${cause.objectId}:${occasion}`,
  }));
  const { rows: written } = await sql<{ count: number }>`
    select queue_deliveries(${storableJson(rows)}::jsonb) as count`.execute(tx);
  if ((written[0]?.count ?? 0) > 0) await publish(tx, 'deliveries.due', {});
}

/** True where a rule may send the client’s events of this name: facts that cost a query are read then only. */
export async function isEventRouted(tx: Tx, event: DeliveryEvent, organisationId: number): Promise<boolean> {
  const { rows } = await sql<{ isRouted: boolean }>`select is_event_routed(${event}, ${organisationId}) as "isRouted"`.execute(
    tx,
  );
  return rows[0]?.isRouted === true;
}

/** Queues the files of closed cases for their tickets, where targets wish them. */
export async function queueTicketFiles(
  tx: Tx,
  closings: readonly { id: number; version: number; at: Date; actorId: number | undefined }[],
): Promise<void> {
  if (closings.length === 0) return;
  const { rows } = await sql<{ count: number }>`select queue_ticket_files(${JSON.stringify(closings)}::jsonb) as count`.execute(
    tx,
  );
  if ((rows[0]?.count ?? 0) > 0) await publish(tx, 'deliveries.due', {});
}

/** Queues a note that a client may read for the tickets of its case; nothing for an internal note. `occasion` is another for each version. */
export async function queueTicketNote(tx: Tx, note: { id: number; occasion: string; at: Date }): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select queue_ticket_note(${note.id}, ${note.occasion}, ${note.at}::timestamptz) as count`.execute(tx);
  if ((rows[0]?.count ?? 0) > 0) await publish(tx, 'deliveries.due', {});
}
