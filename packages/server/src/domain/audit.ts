/** The audit log: every change, denied call and sign-in adds a row. Rows are never changed (docs/decisions/0029-audit-chain.md). */

import { sql } from 'kysely';
import { storable } from '../core/db/like.ts';
import type { Tx } from '../core/db/scope.ts';
import type { Actor } from '../core/http/actor.ts';
import type { NoDetails } from './audit.changes.ts';
import { auditVisibility } from './audit.visibility.ts';

/** Actions that also appear in a case’s history. Merged like `AuditActions`. */
// biome-ignore lint/suspicious/noEmptyInterface: features declare the members
export interface CaseActions {}

/**
 * Every action, in the past tense, with the before and after of its entry. Each feature declares its own in `<feature>.audit.ts` by merging with this
 * interface; audit.visibility.ts lists who may read them.
 */
export interface AuditActions extends CaseActions {
  'call.denied': NoDetails;
}
export type AuditAction = keyof AuditActions;

/** An action with its before and after. */
export type AuditChange<Action extends AuditAction = AuditAction> = { [A in Action]: { action: A } & AuditActions[A] }[Action];
export type AuditEntry = AuditChange & { organisationId: number; target?: string };

/** Without a user where the action came through a mailed link. */
export type Auditor = Pick<Actor, 'organisationId' | 'address'> & { userId: number | null };

/** JSON without the characters that PostgreSQL rejects in text. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? storable(part) : part));

/** Auditor of what no user did. */
export const systemAuditor = (organisationId: number, address = ''): Auditor => ({ userId: null, organisationId, address });

export const recordAudit = (tx: Tx, actor: Auditor, entry: AuditEntry): Promise<void> => recordAudits(tx, actor, [entry]);

/** Entry about the user’s own account. */
export const recordOwnAudit = (tx: Tx, actor: Auditor, change: AuditChange): Promise<void> =>
  recordAudit(tx, actor, { ...change, organisationId: actor.organisationId, target: String(actor.userId) });

/** In one statement. */
export async function recordAudits(tx: Tx, actor: Auditor, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ ...entry, visibility: auditVisibility(entry) }));
  await sql`
    insert into audit (organisation_id, actor_user_id, actor_organisation_id, action, target, before, after, address, visibility)
    select e."organisationId", ${actor.userId}, ${actor.organisationId}, e.action, coalesce(e.target, ''), e.before, e.after, ${actor.address}, e.visibility
    from jsonb_to_recordset(${storableJson(rows)}::jsonb)
      as e ("organisationId" integer, action text, target text, before jsonb, after jsonb, visibility text)`.execute(tx);
}
