/** The audit log: every change, denied call and sign-in leaves a row (decision 30). Rows can only be added. */

import type { Tx } from './db/scope.ts';
import type { Actor } from './http/actor.ts';

export interface AuditEntry {
  /** Past tense: tag.saved, call.denied. */
  action: string;
  organisationId: number;
  target?: string;
  before?: unknown;
  after?: unknown;
}

export async function recordAudit(
  tx: Tx,
  actor: Pick<Actor, 'userId' | 'organisationId' | 'address'>,
  entry: AuditEntry,
): Promise<void> {
  await tx
    .insertInto('audit')
    .values({
      organisation_id: entry.organisationId,
      actor_user_id: actor.userId,
      actor_organisation_id: actor.organisationId,
      action: entry.action,
      target: entry.target ?? '',
      before: entry.before === undefined ? null : JSON.stringify(entry.before),
      after: entry.after === undefined ? null : JSON.stringify(entry.after),
      address: actor.address,
    })
    .execute();
}
