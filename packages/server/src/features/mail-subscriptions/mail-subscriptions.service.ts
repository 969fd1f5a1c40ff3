/**
 * Email subscriptions (spec §2.1 /apps/mailsubscriptions). Transactions that change cases queue a notice in one row; a
 * worker emails the subscribers and combines notices, so that closing a thousand cases does not send a thousand emails.
 */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import {
  type mailSubscriptionsApi,
  type SubscriptionKind,
  type SubscriptionRow,
  subscriptionKindValues,
} from '@parapet/contract/mailSubscriptions.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, ownScope, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { type ApprovalRules, createApprovalMails } from './mail-subscriptions.approvals.ts';
import { sendDigests } from './mail-subscriptions.digests.ts';
import { createNotices } from './mail-subscriptions.notices.ts';
import { createUnsubscribeTokens, kindsOf } from './mail-subscriptions.rules.ts';
import { createSubscriptionMails } from './mail-subscriptions.sending.ts';
import { listUsers, putChoices, type Subscriber } from './mail-subscriptions.store.ts';

export type MailSubscriptionsService = ReturnType<typeof createMailSubscriptionsService>;

export function createMailSubscriptionsService({
  db,
  clock,
  brand,
  outbox,
  key,
  approvals,
}: {
  db: Database;
  clock: Clock;
  brand: Pick<BrandService, 'ofMails'>;
  outbox: Pick<OutboxService, 'queue'>;
  /** Signs unsubscribe links. */
  key: Buffer;
  approvals: ApprovalRules;
}) {
  const tokens = createUnsubscribeTokens(key);

  const mails = createSubscriptionMails({ brand, outbox, tokens });
  const sendApprovalEmails = createApprovalMails({ db, mails, rules: approvals });

  return {
    async list(actor: Actor, client: number): Promise<AnswerOf<typeof mailSubscriptionsApi.list>> {
      const scope = scopeFor(actor, client);
      const users = await readScoped(db, scope, (tx) => listUsers(tx, scope));
      return { results: users.map(toRow), total: users.length };
    },

    update(actor: Actor, userId: number, kinds: readonly SubscriptionKind[]): Promise<SubscriptionRow> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => choose(tx, actor, await userOf(tx, scope, userId), all(kinds)));
    },

    mine(actor: Actor): Promise<SubscriptionRow> {
      const scope = ownScope(actor);
      return readScoped(db, scope, async (tx) => toRow(await userOf(tx, scope, actor.userId)));
    },

    updateMine(actor: Actor, kinds: readonly SubscriptionKind[]): Promise<SubscriptionRow> {
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => choose(tx, actor, await userOf(tx, scope, actor.userId), all(kinds)));
    },

    /** Ends one subscription of one user by the link in an email. Idempotent; throws notFound for an invalid link. */
    async unsubscribe(token: string, address: string): Promise<{ kind: SubscriptionKind }> {
      const about = tokens.read(token);
      if (!about || !subscriptionKindValues.includes(about.kind))
        throw new Problem(
          'notFound',
          'This unsubscribe link is invalid. Use the complete link from the email, or sign in to change your subscriptions.',
        );
      await scoped(db, 'system', async (tx) => {
        const [user] = await listUsers(tx, 'system', [about.userId]);
        if (!user) return;
        const anonymous = { userId: null, organisationId: user.organisationId, address };
        await choose(tx, anonymous, user, [{ kind: about.kind, isOn: false }]);
      });
      return { kind: about.kind };
    },

    ...createNotices({ db, clock, mails }),

    /** Scheduled: emails approvers of new requests. */
    emailApprovers: (): Promise<void> => sendApprovalEmails(new Date(clock.now())),

    /** Scheduled: sends each digest once. Skips days without activity; weeks are always sent. */
    digest: (period: 'day' | 'week'): Promise<void> => sendDigests(db, mails, period, new Date(clock.now())),
  };
}

/** Changes a user’s subscriptions; the actor’s user is null when an emailed link does. */
async function choose(
  tx: Tx,
  actor: Parameters<typeof recordAudit>[1],
  user: Subscriber,
  choices: { kind: SubscriptionKind; isOn: boolean }[],
): Promise<SubscriptionRow> {
  const before = kindsOf(user, user.chosen);
  await putChoices(tx, user, choices);
  const chosen = [...user.chosen.filter(({ kind }) => !choices.some((choice) => choice.kind === kind)), ...choices];
  const after = kindsOf(user, chosen);
  if (before.join() !== after.join())
    await recordAudit(tx, actor, {
      action: 'mailSubscriptions.updated',
      organisationId: user.organisationId,
      target: String(user.id),
      before,
      after,
    });
  return toRow({ ...user, chosen });
}

const all = (kinds: readonly SubscriptionKind[]) => subscriptionKindValues.map((kind) => ({ kind, isOn: kinds.includes(kind) }));

async function userOf(tx: Tx, scope: Scope, id: number): Promise<Subscriber> {
  const [user] = await listUsers(tx, scope, [id]);
  if (!user) throw problem.notFound('user', id);
  return user;
}

const toRow = (user: Subscriber): SubscriptionRow => ({
  userID: user.id,
  displayName: `${user.firstName} ${user.lastName}`.trim(),
  emailAddress: user.email,
  clientOrganizationID: user.organisationId,
  clientOrganizationName: user.organisationName,
  kinds: kindsOf(user, user.chosen),
});
