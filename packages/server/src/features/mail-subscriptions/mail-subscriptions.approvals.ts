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
import type { SubscriptionMails } from './mail-subscriptions.sending.ts';
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

/** Marks the approvers of pending requests as notified. */
async function takePending(tx: Tx, now: Date): Promise<PendingApproval[]> {
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
  return rows;
}

const approvalMail = (
  pending: PendingApproval,
  { response, requester, origin }: { response: string; requester: string; origin: string },
): MailContent => {
  const until = `${pending.approve_until.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return {
    subject: `Approval requested: ${onOneLine(response, 100)}`,
    title: 'A response is waiting for approval',
    facts: [
      ['Client', onOneLine(pending.client)],
      ['Response', response],
      ['Requested by', onOneLine(requester)],
      ['Decide by', `${until}; after that it ${pending.silence === 'approve' ? 'counts as approved' : 'expires'}`],
    ],
    paragraphs: [onOneLine(pending.rule_text, 1000), ...(pending.note ? [onOneLine(pending.note, 1000)] : [])],
    action: { label: 'Review request', url: `${origin}/apps/response/${pending.id}` },
  };
};

export function createApprovalMails({ db, mails, rules }: { db: Database; mails: SubscriptionMails; rules: ApprovalRules }) {
  const listApprovers = async (tx: Tx, pending: PendingApproval, now: Date): Promise<Subscriber[]> => {
    const users = await listUsers(tx, { organisationIds: approvingOrganisations(pending) });
    const ids = users.map(({ id }) => id);
    const unfit = await rules.listUnfit(tx, pending.requested_by, ids, now);
    return users.filter(
      (user) =>
        !unfit.has(user.id) &&
        kindsOf(user, user.chosen).includes(kind) &&
        rules.mayApproveAs(pending.approver_kind, user, pending) &&
        maySeeCasesOf(user, pending.organisation_id),
    );
  };

  const sendAll = async (tx: Tx, now: Date): Promise<void> => {
    for (const pending of await takePending(tx, now)) {
      const response = onOneLine(rules.textOf(pending), 200);
      for (const user of await listApprovers(tx, pending, now)) {
        const requester = await findShownName(tx, user.organisationId, {
          userId: pending.requested_by,
          name: pending.requested_by_name,
        });
        const origin = await mails.originFor(tx, user);
        await mails.send(tx, user, kind, approvalMail(pending, { response, requester, origin }));
      }
    }
  };

  return (now: Date): Promise<void> => scoped(db, 'system', (tx) => sendAll(tx, now), { statementTimeoutMs: 30_000 });
}
