/** Targets and deliveries as the contract has them. */
import type { TargetKind } from '@parapet/connectors/out/target.ts';
import type { Delivery, DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { onOneLine } from '../../core/mail/render.ts';
import { messageOf } from './deliveries.content.ts';
import type { DeliveryRow, TargetRow } from './deliveries.store.ts';
import { previousUntil } from './deliveries.vault.ts';

/** An https address, or http for a simulated system; null for anything else. */
export const safeLink = (url: string | null): string | null =>
  url !== null && /^https?:\/\//.test(url) ? url.slice(0, 1_000) : null;

const iso = (at: Date | null) => at?.toISOString() ?? null;

export const callbackUrl = (origin: string, address: string): string => `${origin}/callback/${address}`;

/** True for a chat that a client owns: its buttons would act with rights that no role of a client has. */
export const isChatOfClient = ({ callbacks }: TargetKind, { isOfClient }: Pick<TargetRow, 'isOfClient'>): boolean =>
  isOfClient && callbacks?.reply !== undefined;

export function shownTarget(row: TargetRow, kind: TargetKind | undefined, now: number, origin = ''): DeliveryTarget {
  const until = row.settings[previousUntil];
  const { isPaused, failures, acceptedAt, quietZone: zone } = row;
  return {
    id: row.id,
    clientOrganizationID: row.organisationId,
    clientOrganizationName: row.organisationName,
    kind: row.kind,
    title: kind?.title ?? row.kind,
    hasTickets: kind?.tickets !== undefined,
    name: row.name,
    state: isPaused ? 'paused' : failures > 0 ? 'failing' : acceptedAt ? 'working' : 'new',
    error: row.error,
    errorAt: iso(row.errorAt),
    acceptedAt: iso(acceptedAt),
    waiting: row.waiting,
    givenUp: row.givenUp,
    quiet: zone === null ? null : { zone, from: row.quietFrom, to: row.quietTo },
    previousSecretUntil: until !== undefined && Date.parse(until) > now ? until : null,
    callbackAddress: row.callbackAddress && callbackUrl(origin, row.callbackAddress),
    hasCallbacks: kind?.callbacks !== undefined && !isChatOfClient(kind, row),
    createdAt: row.createdAt.toISOString(),
  };
}

type Listed = Omit<DeliveryRow, 'request' | 'answer' | 'answerStatus'>;

/** Title of the message, or of the one that would be made now. */
function titleOf({ message, event, objectId, facts, eventAt, messageId, clientId }: Listed): string {
  const stored = (message as { title?: unknown } | null)?.title;
  if (typeof stored === 'string') return stored;
  const subject = { event, subject: '', objectId, facts, eventAt, messageId, clientId, client: '' };
  return onOneLine(messageOf(subject, { name: '', origin: '' }).title, 400);
}

export const shownDelivery = (row: Listed, names: ReadonlyMap<number, string>): Delivery => ({
  id: row.id,
  clientOrganizationID: row.organisationId,
  clientName: names.get(row.clientId) ?? 'Former client',
  event: row.event as Delivery['event'],
  title: titleOf(row),
  eventAt: row.eventAt.toISOString(),
  state: row.state,
  attempts: row.attempts,
  nextAt: row.event !== 'test' && (row.state === 'queued' || row.state === 'failed') ? row.nextAt.toISOString() : null,
  sentAt: iso(row.sentAt),
  acceptedAt: iso(row.acceptedAt),
  acceptedId: row.acceptedId,
  link: safeLink(row.acceptedUrl),
  words: row.words,
});
