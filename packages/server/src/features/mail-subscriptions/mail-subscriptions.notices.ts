/** Notices of case changes and SLA timers: queued in the transaction of the change, combined and emailed after its commit. */
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Selectable } from 'kysely';
import type { Bus } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { onOneLine } from '../../core/mail/render.ts';
import { kindsOf, maySeeCasesOf } from './mail-subscriptions.rules.ts';
import type { SubscriptionMails } from './mail-subscriptions.sending.ts';
import {
  insertNotices,
  listUsers,
  type Notice,
  removeNotices,
  type Subscriber,
  takeNotices,
} from './mail-subscriptions.store.ts';

type CaseRecord = Selectable<Tables['cases']>;

const noticeBatchSize = 500;
/** Maximum age of a notice in milliseconds: replayed history sends no emails. */
const maxNoticeAgeMs = dayMs;
const maxListed = 20;

/** Subject of the email, for one case and for several. */
const noticeMails = [
  { kind: 'case.assigned', one: 'A case was assigned to you', many: 'Cases were assigned to you' },
  { kind: 'case.escalated', one: 'A case was escalated', many: 'Cases were escalated' },
  { kind: 'case.closed', one: 'A case was closed', many: 'Cases were closed' },
  { kind: 'case.breached', one: 'A target of a case is about to be missed', many: 'Targets of cases are about to be missed' },
] as const;

const notice = (record: CaseRecord, kind: SubscriptionKind, actor: Actor | undefined, userId: number | null = null) => ({
  organisation_id: record.organisation_id,
  case_id: record.id,
  kind,
  user_id: userId,
  actor_user_id: actor?.userId ?? null,
  at: record.updated_at,
});

export function createNotices({ db, clock, mails }: { db: Database; clock: Clock; mails: SubscriptionMails }) {
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
              await sendGroup(mails, tx, mail, notices, users);
        }
        return taken.length === noticeBatchSize;
      },
      { statementTimeoutMs: 30_000 },
    );
  let sending: Promise<void> | undefined;

  return {
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
    withdrawNotices: removeNotices,

    /** Queues one notice for each SLA timer of a case: at its warning, or at its breach without a warning. */
    async slaTimersNotified(
      tx: Tx,
      notified: readonly { record: CaseRecord; clock: { name: string; state: string } }[],
    ): Promise<void> {
      const at = new Date(clock.now());
      const notices = notified
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
  };
}

/** Sends one email to each subscriber who may see these cases, about changes by others. */
async function sendGroup(
  mails: SubscriptionMails,
  tx: Tx,
  { kind, one, many }: (typeof noticeMails)[number],
  notices: readonly Notice[],
  users: readonly Subscriber[],
): Promise<void> {
  const [{ organisationId, userId }] = notices as [Notice];
  for (const user of users) {
    if (userId !== null && userId !== user.id) continue;
    if (!maySeeCasesOf(user, organisationId) || !kindsOf(user, user.chosen).includes(kind)) continue;
    const fromOthers = notices.filter(({ actorUserId }) => actorUserId !== user.id);
    // One line per case.
    const cases = [...new Map(fromOthers.map((notice) => [notice.caseId, notice])).values()];
    const [first] = cases;
    if (!first) continue;
    const origin = await mails.originFor(tx, user);
    const isOne = cases.length === 1;
    const lines = cases
      .slice(0, maxListed)
      .map(
        ({ caseId, title, criticality, status }) =>
          `#${caseId} ${onOneLine(title)} (${severityOf(criticality)}, ${statusLabel(status)})`,
      );
    const more = cases.length - lines.length;
    await mails.send(tx, user, kind, {
      subject: isOne ? `${one}: #${first.caseId} ${onOneLine(first.title, 100)}` : `${many}: ${cases.length}`,
      title: isOne ? one : `${many} (${cases.length})`,
      facts: [['Client', onOneLine(first.client)]],
      paragraphs: [[...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')],
      action: isOne
        ? { label: 'View case', url: `${origin}/apps/case/${first.caseId}` }
        : { label: 'View cases', url: `${origin}/apps/cases` },
    });
  }
}

/** Emails notices after each commit that queued some. Returns a stop function. */
export function startNoticeWorker(bus: Bus, subscriptions: { sendNotices(): Promise<void> }, log: Log): () => void {
  const run = () => void subscriptions.sendNotices().catch((error) => log.error({ err: error }, 'notices could not be sent'));
  const ends = [bus.on('notice.queued', run), bus.on('bus.reconnected', run)];
  return () => {
    for (const end of ends) end();
  };
}
