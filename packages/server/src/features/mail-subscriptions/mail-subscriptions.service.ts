/**
 * Email subscriptions (spec §2.1 /apps/mailsubscriptions). Transactions that change cases queue a notice in one row; a
 * worker emails the subscribers and combines notices, so that closing a thousand cases does not send a thousand emails.
 */

import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import {
  type mailSubscriptionsApi,
  type SubscriptionKind,
  type SubscriptionRow,
  subscriptionKinds,
  subscriptionKindValues,
} from '@parapet/contract/mailSubscriptions.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import type { Selectable } from 'kysely';
import type { Bus } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { type Actor, ownScope, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { type MailContent, onOneLine } from '../../core/mail/render.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { type ApprovalRules, createApprovalMails } from './mail-subscriptions.approvals.ts';
import { digestMail, isQuiet, seenBy, totalOf } from './mail-subscriptions.digests.ts';
import { createUnsubscribeTokens, kindsOf, maySeeCasesOf } from './mail-subscriptions.rules.ts';
import {
  insertNotices,
  listFigures,
  listUsers,
  listWaiting,
  type Notice,
  putChoices,
  removeNotices,
  type Subscriber,
  takeNotices,
} from './mail-subscriptions.store.ts';

type CaseRecord = Selectable<Tables['cases']>;

const noticeBatchSize = 500;
/** Maximum age of a notice in milliseconds: replayed history sends no emails. */
const maxNoticeAgeMs = 86_400_000;
const maxListed = 20;
const maxRecipients = 1_000_000;
const dayMs = 86_400_000;

/** Subject of the email, for one case and for several. */
const noticeMails = [
  { kind: 'case.assigned', one: 'A case was assigned to you', many: 'Cases were assigned to you' },
  { kind: 'case.escalated', one: 'A case was escalated', many: 'Cases were escalated' },
  { kind: 'case.closed', one: 'A case was closed', many: 'Cases were closed' },
  { kind: 'case.breached', one: 'A target of a case is about to be missed', many: 'Targets of cases are about to be missed' },
] as const;
const digests = {
  day: { kind: 'digest.daily', ms: dayMs },
  week: { kind: 'digest.weekly', ms: 7 * dayMs },
} as const;

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

  /** Changes a user’s subscriptions; the actor’s user is null when an emailed link does. */
  const choose = async (
    tx: Tx,
    actor: Parameters<typeof recordAudit>[1],
    user: Subscriber,
    choices: { kind: SubscriptionKind; isOn: boolean }[],
  ): Promise<SubscriptionRow> => {
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
  };
  const all = (kinds: readonly SubscriptionKind[]) =>
    subscriptionKindValues.map((kind) => ({ kind, isOn: kinds.includes(kind) }));

  const userOf = async (tx: Tx, scope: Scope, id: number): Promise<Subscriber> => {
    const [user] = await listUsers(tx, scope, [id]);
    if (!user) throw problem.notFound('user', id);
    return user;
  };

  /** Queues an email with unsubscribe links for readers and mail clients (RFC 2369, RFC 8058). */
  const send = async (tx: Tx, user: Subscriber, kind: SubscriptionKind, content: MailContent, name?: string): Promise<void> => {
    const { origin } = await brand.ofMails(tx, user.organisationId);
    const token = tokens.issue(user.id, kind);
    const [page, post] = [`${origin}/unsubscribe/${token}`, `${origin}/api/v1/mailsubscriptions/unsubscribe/${token}`];
    await outbox.queue(tx, {
      ...content,
      kind,
      organisationId: user.organisationId,
      to: [user.email],
      notes: [
        `You receive this email because of your subscription “${labelOf(kind)}”. Change your subscriptions under Mail Subscriptions in the portal, or unsubscribe from these emails:\n${page}`,
      ],
      headers: {
        'List-Unsubscribe': `<${post}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
      links: [page, post],
      ...(name && { name }),
    });
  };

  const sendApprovalEmails = createApprovalMails({
    db,
    originOf: async (tx, organisationId) => (await brand.ofMails(tx, organisationId)).origin,
    send,
    rules: approvals,
  });

  const notice = (record: CaseRecord, kind: SubscriptionKind, actor: Actor | undefined, userId: number | null = null) => ({
    organisation_id: record.organisation_id,
    case_id: record.id,
    kind,
    user_id: userId,
    actor_user_id: actor?.userId ?? null,
    at: record.updated_at,
  });

  /** Sends one email to each subscriber who may see these cases, about changes by others. */
  const sendGroup = async (
    tx: Tx,
    { kind, one, many }: (typeof noticeMails)[number],
    notices: readonly Notice[],
    users: readonly Subscriber[],
  ): Promise<void> => {
    const [{ organisationId, userId }] = notices as [Notice];
    for (const user of users) {
      if (userId !== null && userId !== user.id) continue;
      if (!maySeeCasesOf(user, organisationId) || !kindsOf(user, user.chosen).includes(kind)) continue;
      const fromOthers = notices.filter(({ actorUserId }) => actorUserId !== user.id);
      // One line per case.
      const cases = [...new Map(fromOthers.map((notice) => [notice.caseId, notice])).values()];
      const [first] = cases;
      if (!first) continue;
      const { origin } = await brand.ofMails(tx, user.organisationId);
      const isOne = cases.length === 1;
      const lines = cases
        .slice(0, maxListed)
        .map(
          ({ caseId, title, criticality, status }) =>
            `#${caseId} ${onOneLine(title)} (${severityOf(criticality)}, ${statusLabel(status)})`,
        );
      const more = cases.length - lines.length;
      await send(tx, user, kind, {
        subject: isOne ? `${one}: #${first.caseId} ${onOneLine(first.title, 100)}` : `${many}: ${cases.length}`,
        title: isOne ? one : `${many} (${cases.length})`,
        facts: [['Client', onOneLine(first.client)]],
        paragraphs: [[...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')],
        action: isOne
          ? { label: 'View case', url: `${origin}/apps/case/${first.caseId}` }
          : { label: 'View cases', url: `${origin}/apps/cases` },
      });
    }
  };

  const sendBatch = (): Promise<boolean> =>
    scoped(
      db,
      'system',
      async (tx) => {
        const taken = await takeNotices(tx, noticeBatchSize, new Date(clock.now()));
        const recent = taken.filter(({ at }) => at.getTime() > clock.now() - maxNoticeAgeMs);
        const byOrganisation = Map.groupBy(recent, ({ organisationId }) => organisationId);
        for (const [organisationId, group] of byOrganisation) {
          const parentId = group[0]?.parentId;
          const users = await listUsers(tx, { organisationIds: [organisationId, ...(parentId ? [parentId] : [])] });
          for (const mail of noticeMails)
            for (const notices of Map.groupBy(
              group.filter(({ kind }) => kind === mail.kind),
              ({ userId }) => userId,
            ).values())
              await sendGroup(tx, mail, notices, users);
        }
        return taken.length === noticeBatchSize;
      },
      { statementTimeoutMs: 30_000 },
    );
  let sending: Promise<void> | undefined;

  return {
    async list(actor: Actor, client: number): Promise<AnswerOf<typeof mailSubscriptionsApi.list>> {
      const scope = scopeFor(actor, client);
      const users = await scoped(db, scope, (tx) => listUsers(tx, scope), { readOnly: true });
      return { results: users.map(toRow), total: users.length };
    },

    update(actor: Actor, userId: number, kinds: readonly SubscriptionKind[]): Promise<SubscriptionRow> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => choose(tx, actor, await userOf(tx, scope, userId), all(kinds)));
    },

    mine(actor: Actor): Promise<SubscriptionRow> {
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => toRow(await userOf(tx, scope, actor.userId)), { readOnly: true });
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

    /** Queues the notices of case changes, inside the changing transaction. */
    async caseChanged(
      tx: Tx,
      actor: Actor | undefined,
      changes: readonly { before: CaseRecord; after: CaseRecord }[],
    ): Promise<void> {
      const notices = changes.flatMap(({ before, after }) => {
        const analyst = after.analyst_user_id === before.analyst_user_id ? null : after.analyst_user_id;
        return [
          ...(analyst !== null && analyst !== actor?.userId ? [notice(after, 'case.assigned', actor, analyst)] : []),
          ...(after.status === 'escalated' && before.status !== 'escalated' ? [notice(after, 'case.escalated', actor)] : []),
          ...(after.closed_at !== null && before.closed_at === null ? [notice(after, 'case.closed', actor)] : []),
        ];
      });
      if (notices.length > 0) await insertNotices(tx, notices);
    },

    /** Removes the notices of changes that are about to be undone, in the same transaction. */
    withdrawNotices: (
      tx: Tx,
      scope: Scope,
      by: { userId: number; since: Date },
      cases: readonly { id: number; version: number }[],
    ): Promise<void> => removeNotices(tx, scope, by, cases),

    /** Queues one notice for each SLA timer of a case: at its warning, or at its breach without a warning. */
    async slaTimersNotified(
      tx: Tx,
      told: readonly { record: CaseRecord; clock: { name: string; state: string } }[],
    ): Promise<void> {
      const at = new Date(clock.now());
      const notices = told
        .filter(({ record, clock: { name, state } }) => state !== 'breached' || !record.breach_told?.startsWith(`${name}:`))
        .map(({ record }) => ({ ...notice(record, 'case.breached', undefined), at }));
      if (notices.length > 0) await insertNotices(tx, notices);
    },

    /** Emails queued notices; runs after commits and on schedule. Concurrent calls share a run. */
    sendNotices(): Promise<void> {
      sending ??= (async () => {
        while (await sendBatch());
      })().finally(() => {
        sending = undefined;
      });
      return sending;
    },

    /** Scheduled: emails approvers of new requests. */
    emailApprovers: (): Promise<void> => sendApprovalEmails(new Date(clock.now())),

    /** Scheduled: sends each digest once. Skips days without activity; weeks are always sent. */
    async digest(period: 'day' | 'week'): Promise<void> {
      const { kind, ms } = digests[period];
      const to = new Date(clock.now());
      const day = to.toISOString().slice(0, 10);
      await scoped(
        db,
        'system',
        async (tx) => {
          const figures = await listFigures(tx, new Date(to.getTime() - ms), to);
          const waiting = await listWaiting(tx, 10);
          const parentOf = new Map(figures.map(({ organisationId, parentId }) => [organisationId, parentId]));
          for (const user of await listUsers(tx, 'system', undefined, maxRecipients)) {
            if (!maySeeCasesOf(user, user.organisationId) || !kindsOf(user, user.chosen).includes(kind)) continue;
            const seen = figures.filter((each) => seenBy(user, each));
            if (period === 'day' && isQuiet(totalOf(seen))) continue;
            const seenWaiting = waiting.filter(({ organisationId }) =>
              seenBy(user, { organisationId, parentId: parentOf.get(organisationId) ?? null }),
            );
            const { origin } = await brand.ofMails(tx, user.organisationId);
            await send(tx, user, kind, digestMail({ period, day, origin }, seen, seenWaiting), `${kind}-${day}-${user.id}`);
          }
        },
        { statementTimeoutMs: 60_000 },
      );
    },
  };
}

const labelOf = (kind: SubscriptionKind): string => subscriptionKinds.find(({ value }) => value === kind)!.label;

const toRow = (user: Subscriber): SubscriptionRow => ({
  userID: user.id,
  displayName: `${user.firstName} ${user.lastName}`.trim(),
  emailAddress: user.email,
  clientOrganizationID: user.organisationId,
  clientOrganizationName: user.organisationName,
  kinds: kindsOf(user, user.chosen),
});

/** Emails notices after each commit that queued some. Returns a stop function. */
export function startNoticeWorker(bus: Bus, subscriptions: { sendNotices(): Promise<void> }, log: Log): () => void {
  const run = () => void subscriptions.sendNotices().catch((error) => log.error({ err: error }, 'notices could not be sent'));
  const ends = [bus.on('notice.queued', run), bus.on('bus.reconnected', run)];
  return () => {
    for (const end of ends) end();
  };
}
