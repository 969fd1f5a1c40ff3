/** Tells those whose approval counts that a response waits for it: soon, and once. */
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

/** The rules of responses, which are another feature's. */
export interface ApprovalRules {
  textOf(response: { action: string; target: string; device_name: string | null }): string;
  mayApproveAs(
    kind: Approvers,
    who: RoleHolder,
    home: { organisation_id: number; parent_id: number | null; is_partner: boolean },
  ): boolean;
  /** Accounts that are no second person to whoever asked, that one among them. */
  listUnfit(tx: Tx, requester: number | null, accounts: readonly number[], now: Date): Promise<ReadonlySet<number>>;
}

interface Waiting {
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
const atOnce = 100;

/** Whose people are asked. Where everybody may who responds there, the client and its partner are. */
const asked = ({ approver_kind, organisation_id, parent_id }: Waiting): number[] => {
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
        const { rows } = await sql<Waiting>`
          with taken as (
            update responses set approvers_told_at = ${now} where id in (
              select id from responses where state = 'requested' and approvals_needed > 0 and approvers_told_at is null
              order by id limit ${atOnce} for update skip locked)
            returning *
          )
          select t.id, t.organisation_id, o.parent_id, o.is_partner, o.name as client, t.action, t.target, t.device_name, t.note, t.rule_text,
            t.approver_kind, t.approve_until, t.silence, t.requested_by, t.requested_by_name
          from taken t join organisations o on o.id = t.organisation_id where t.approve_until > ${now} order by t.id`.execute(tx);
        for (const waiting of rows) {
          const what = onOneLine(rules.textOf(waiting), 200);
          const users = await listUsers(tx, { organisationIds: asked(waiting) });
          const ids = users.map(({ id }) => id);
          const unfit = await rules.listUnfit(tx, waiting.requested_by, ids, now);
          for (const user of users) {
            if (unfit.has(user.id) || !kindsOf(user, user.chosen).includes(kind)) continue;
            if (!rules.mayApproveAs(waiting.approver_kind, user, waiting) || !maySeeCasesOf(user, waiting.organisation_id))
              continue;
            const requester = await findShownName(tx, user.organisationId, {
              userId: waiting.requested_by,
              name: waiting.requested_by_name,
            });
            const until = `${waiting.approve_until.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
            await send(tx, user, kind, {
              subject: `Your approval is asked for: ${onOneLine(what, 100)}`,
              title: 'A response waits for approval',
              facts: [
                ['Client', onOneLine(waiting.client)],
                ['Response', what],
                ['Asked for by', onOneLine(requester)],
                ['Answer until', `${until}; after that it ${waiting.silence === 'approve' ? 'counts as approved' : 'expires'}`],
              ],
              paragraphs: [onOneLine(waiting.rule_text, 1000), ...(waiting.note ? [onOneLine(waiting.note, 1000)] : [])],
              action: { label: 'Look at it', url: `${await originOf(tx, user.organisationId)}/apps/response/${waiting.id}` },
            });
          }
        }
      },
      { statementTimeoutMs: 30_000 },
    );
  };
}
