/** Emails approvers about a response that awaits approval, once each. */
import type { RoleHolder } from '@parapet/contract/access.ts';
import { providerId } from '@parapet/contract/access.ts';
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import { sql } from 'kysely';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type MailContent, onOneLine } from '../../core/mail/render.ts';
import { findShownName } from '../../domain/visibility.ts';
import { kindsOf, maySeeCasesOf } from './mail-subscriptions.rules.ts';
import { listUsers, type Subscriber } from './mail-subscriptions.store.ts';

type Approvers = 'client' | 'partner' | 'provider' | null;

/** Approval rules of the responses feature. */
export interface ApprovalRules {
  textOf(response: { action: string; target: string; device_name: string | null }): string;
  mayApproveAs(
    kind: Approvers,
    who: RoleHolder,
    home: { organisation_id: number; parent_id: number | null; is_partner: boolean },
  ): boolean;
  /** Accounts that are not independent of the requester, including the requester. */
  listUnfit(tx: Tx, requester: number | null, accounts: readonly number[], now: Date): Promise<ReadonlySet<number>>;
}

interface PendingApproval {
  id: number;
  organisation_id: number;
  parent_id: number | null;
  is_partner: boolean;
  client: string;
  action: string;
  target: string;
  device_name: string | null;
  note: string;
  rule_text: string;
  approver_kind: Approvers;
  approve_until: Date;
  silence: 'expire' | 'approve';
  requested_by: number | null;
  requested_by_name: string;
}

const kind: SubscriptionKind = 'response.approval';
const batchSize = 100;

/** Organisations whose users are notified; the client and its partner when the rule names no approver. */
const approvingOrganisations = ({ approver_kind, organisation_id, parent_id }: PendingApproval): number[] => {
  if (approver_kind === 'provider') return [providerId];
  const partner = parent_id === null ? [] : [parent_id];
  if (approver_kind === 'client') return [organisation_id];
  return approver_kind === 'partner' && partner.length > 0 ? partner : [organisation_id, ...partner];
};

export function createApprovalMails({
  db,
  originOf,
  send,
  rules,
}: {
  db: Database;
  originOf: (tx: Tx, organisationId: number) => Promise<string>;
  send: (tx: Tx, user: Subscriber, kind: SubscriptionKind, content: MailContent) => Promise<void>;
  rules: ApprovalRules;
}) {
  return async (now: Date): Promise<void> => {
    await scoped(
      db,
      'system',
      async (tx) => {
        const { rows } = await sql<PendingApproval>`
          with taken as (
            update responses set approvers_told_at = ${now} where id in (
              select id from responses where state = 'requested' and approvals_needed > 0 and approvers_told_at is null
              order by id limit ${batchSize} for update skip locked)
            returning *
          )
          select t.id, t.organisation_id, o.parent_id, o.is_partner, o.name as client, t.action, t.target, t.device_name, t.note, t.rule_text,
            t.approver_kind, t.approve_until, t.silence, t.requested_by, t.requested_by_name
          from taken t join organisations o on o.id = t.organisation_id where t.approve_until > ${now} order by t.id`.execute(tx);
        for (const pending of rows) {
          const response = onOneLine(rules.textOf(pending), 200);
          const users = await listUsers(tx, { organisationIds: approvingOrganisations(pending) });
          const ids = users.map(({ id }) => id);
          const unfit = await rules.listUnfit(tx, pending.requested_by, ids, now);
          for (const user of users) {
            if (unfit.has(user.id) || !kindsOf(user, user.chosen).includes(kind)) continue;
            if (!rules.mayApproveAs(pending.approver_kind, user, pending) || !maySeeCasesOf(user, pending.organisation_id))
              continue;
            const requester = await findShownName(tx, user.organisationId, {
              userId: pending.requested_by,
              name: pending.requested_by_name,
            });
            const until = `${pending.approve_until.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
            await send(tx, user, kind, {
              subject: `Approval requested: ${onOneLine(response, 100)}`,
              title: 'A response is waiting for approval',
              facts: [
                ['Client', onOneLine(pending.client)],
                ['Response', response],
                ['Requested by', onOneLine(requester)],
                ['Decide by', `${until}; after that it ${pending.silence === 'approve' ? 'counts as approved' : 'expires'}`],
              ],
              paragraphs: [onOneLine(pending.rule_text, 1000), ...(pending.note ? [onOneLine(pending.note, 1000)] : [])],
              action: { label: 'Review request', url: `${await originOf(tx, user.organisationId)}/apps/response/${pending.id}` },
            });
          }
        }
      },
      { statementTimeoutMs: 30_000 },
    );
  };
}
