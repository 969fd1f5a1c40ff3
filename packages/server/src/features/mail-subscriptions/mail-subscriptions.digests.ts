/** Digests: figures of the organisations that the reader can see, and cases waiting for the client. */
import { hasClientSelector, providerId } from '@parapet/contract/access.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { dayMs, durationText } from '@parapet/contract/rules/duration.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type MailContent, onOneLine } from '../../core/mail/render.ts';
import { type Cause, queueDeliveries } from '../../domain/causes.ts';
import { kindsOf, maySeeCasesOf } from './mail-subscriptions.rules.ts';
import type { SubscriptionMails } from './mail-subscriptions.sending.ts';
import {
  type Figures,
  listClients,
  listFigures,
  listUsers,
  listWaiting,
  type Subscriber,
  type Waiting,
} from './mail-subscriptions.store.ts';

const maxClients = 20;
const maxWaiting = 10;
const maxRecipients = 1_000_000;

const digests = {
  day: { kind: 'digest.daily', ms: dayMs },
  week: { kind: 'digest.weekly', ms: 7 * dayMs },
} as const;

/** Tenant scope of a reader: staff see their organisation and its clients, the provider’s staff all, others their own organisation. */
export function seenBy(reader: Subscriber, organisation: { organisationId: number; parentId: number | null }): boolean {
  if (organisation.organisationId === reader.organisationId) return true;
  if (!hasClientSelector(reader)) return false;
  return reader.organisationId === providerId || organisation.parentId === reader.organisationId;
}

export function totalOf(figures: readonly Figures[]) {
  const sum = (of: (each: Figures) => number) => figures.reduce((total, each) => total + of(each), 0);
  const mean = (minutes: number, cases: number) => (cases === 0 ? undefined : minutes / cases);
  return {
    open: severities.map((severity) => ({
      severity,
      count: sum((each) =>
        Object.entries(each.open).reduce((n, [level, count]) => n + (severityOf(Number(level)) === severity ? count : 0), 0),
      ),
    })),
    opened: sum((each) => each.opened),
    closed: sum((each) => each.closed),
    waiting: sum((each) => each.waiting),
    toAcknowledge: mean(
      sum((each) => each.acknowledgeMinutes),
      sum((each) => each.acknowledged),
    ),
    toContain: mean(
      sum((each) => each.containMinutes),
      sum((each) => each.contained),
    ),
    toClose: mean(
      sum((each) => each.closeMinutes),
      sum((each) => each.closed),
    ),
  };
}
export type Total = ReturnType<typeof totalOf>;

/** True when no case was opened, closed or is waiting for the client. */
export const isQuiet = ({ opened, closed, waiting }: Total): boolean => opened + closed + waiting === 0;

export function digestMail(
  { period, day, origin }: { period: 'day' | 'week'; day: string; origin: string },
  figures: readonly Figures[],
  waiting: readonly Waiting[],
): MailContent {
  const total = totalOf(figures);
  const open = total.open.filter(({ count }) => count > 0).map(({ severity, count }) => `${count} ${severity}`);
  const times: [string, number | undefined][] = [
    ['Mean time to acknowledge', total.toAcknowledge],
    ['Mean time to contain', total.toContain],
    ['Mean time to close', total.toClose],
  ];
  const clients = figures
    .filter((each) => each.opened + each.closed + each.waiting + Object.values(each.open).reduce((a, b) => a + b, 0) > 0)
    .map(
      (each) =>
        `${onOneLine(each.client)}: ${Object.values(each.open).reduce((a, b) => a + b, 0)} open, ${each.opened} opened, ${each.closed} closed`,
    );
  const nameOf = new Map(figures.map((each) => [each.organisationId, each.client]));
  const lines = waiting
    .slice(0, maxWaiting)
    .map(
      ({ id, title, organisationId, since }) =>
        `#${id} ${onOneLine(title)}${figures.length > 1 ? ` (${onOneLine(nameOf.get(organisationId) ?? '')})` : ''}, since ${since.toISOString().slice(0, 10)}`,
    );
  return {
    subject: `Your ${period === 'day' ? 'daily' : 'weekly'} digest, ${day}`,
    title: isQuiet(total) ? `A quiet ${period}: no cases opened or closed` : `Cases of the last ${period}`,
    facts: [
      ['Open now', open.length > 0 ? open.join(', ') : 'none'],
      ['Opened', String(total.opened)],
      ['Closed', String(total.closed)],
      ...times.flatMap(([name, minutes]): [string, string][] => (minutes === undefined ? [] : [[name, durationText(minutes)]])),
      ['Waiting for the client', String(total.waiting)],
    ],
    paragraphs: [
      ...(lines.length > 0 ? [`Waiting for the client:\n${lines.join('\n')}`] : []),
      ...(figures.length > 1 && clients.length > 0 ? [`By client:\n${clients.slice(0, maxClients).join('\n')}`] : []),
    ],
    action: { label: 'View cases', url: `${origin}/apps/cases` },
  };
}

/** Weekly digests of clients as causes of deliveries, also of quiet weeks. */
const weekOf = (clients: readonly number[], figures: readonly Figures[], to: Date): Cause[] =>
  clients.map((organisationId) => {
    const { opened, closed, waiting, open, toAcknowledge, toContain, toClose } = totalOf(
      figures.filter((each) => each.organisationId === organisationId),
    );
    return {
      organisationId,
      event: 'digest.weekly',
      objectId: organisationId,
      occasion: to.toISOString().slice(0, 10),
      at: to,
      facts: {
        until: to.toISOString(),
        open: Object.fromEntries(open.map(({ severity, count }) => [severity, count])),
        opened,
        closed,
        waiting,
        minutesToAcknowledge: toAcknowledge ?? null,
        minutesToContain: toContain ?? null,
        minutesToClose: toClose ?? null,
      },
    };
  });

/** Sends each digest of the period before `to` once. Skips days without activity; weeks are always sent. */
export async function sendDigests(db: Database, mails: SubscriptionMails, period: 'day' | 'week', to: Date): Promise<void> {
  const { kind, ms } = digests[period];
  const day = to.toISOString().slice(0, 10);
  await scoped(
    db,
    'system',
    async (tx) => {
      const figures = await listFigures(tx, new Date(to.getTime() - ms), to);
      const waiting = await listWaiting(tx, maxWaiting);
      if (period === 'week') await queueDeliveries(tx, weekOf(await listClients(tx), figures, to));
      const parentOf = new Map(figures.map(({ organisationId, parentId }) => [organisationId, parentId]));
      for (const user of await listUsers(tx, 'system', undefined, maxRecipients)) {
        if (!maySeeCasesOf(user, user.organisationId) || !kindsOf(user, user.chosen).includes(kind)) continue;
        const seen = figures.filter((each) => seenBy(user, each));
        if (period === 'day' && isQuiet(totalOf(seen))) continue;
        const seenWaiting = waiting.filter(({ organisationId }) =>
          seenBy(user, { organisationId, parentId: parentOf.get(organisationId) ?? null }),
        );
        const content = digestMail({ period, day, origin: await mails.originFor(tx, user) }, seen, seenWaiting);
        await mails.send(tx, user, kind, content, `${kind}-${day}-${user.id}`);
      }
    },
    { statementTimeoutMs: 60_000 },
  );
}
