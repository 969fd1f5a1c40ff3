/**
 * One turn of a target: sends its deliveries in order, one at a time. Each attempt is noted before the request and recorded after the answer, so
 * that a crash repeats at most the one in progress, with the same idempotency key.
 */
import { RefusedError, VendorError } from '@parapet/connectors/errors.ts';
import type { Message, Outcome, TargetKind } from '@parapet/connectors/out/target.ts';
import { fileEvent, fileNameOf } from '@parapet/connectors/out/ticketing.files.ts';
import { noteEvent } from '@parapet/connectors/out/ticketing.ts';
import type { TicketFile, Ticketing } from '@parapet/connectors/out/tickets.ts';
import { maxDigestEvents } from '@parapet/contract/deliveryEvents.ts';
import { deliveryHours } from '@parapet/contract/rules/deliveries.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { Outbound } from '../../core/outbound.ts';
import { traced } from '../../core/telemetry/tracing.ts';
import type { Values } from '../../domain/vault.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { messageOf, type Subject } from './deliveries.content.ts';
import { digestOf } from './deliveries.digest.ts';
import { isClosing, readHandledMinutes } from './deliveries.handling.ts';
import { createSend, type Exchange } from './deliveries.http.ts';
import type { Call } from './deliveries.oncall.call.ts';
import type { Push } from './deliveries.push.ts';
import { findTicketNote, isClosedCase, listDetections, markGone, readTicketing, saveTicket } from './deliveries.tickets.store.ts';
import { type Vault, validValues } from './deliveries.vault.ts';
import * as store from './deliveries.work.store.ts';

/** Longer than any attempt takes: several requests of `timeoutMs`. */
export const leaseMs = 60_000;
/** Bounds of a turn; what is left waits behind the others. */
const maxDeliveries = 50;
const maxTurnMs = 20_000;
const firstRetryMs = 5_000;
const maxRetryMs = hourMs;
const maxWords = 500;

export interface TurnDeps {
  db: Database;
  clock: Clock;
  vault: Vault;
  brand: Pick<BrandService, 'ofMails'>;
  outbound: Pick<Outbound, 'fetch' | 'openTls'>;
  kindOf: (id: string) => TargetKind | undefined;
  /** Calls the person on call. */
  call: Call;
  /** Sends to browsers. */
  push: Push;
  /** File of a closed case as its client may read it. */
  fileOf: (organisationId: number, caseId: number, kind: FileKind) => Promise<Buffer>;
  /** Between 0 and 1. */
  random: () => number;
  /** Undefined: attempts are not counted. */
  metrics?: Pick<Metrics, 'delivered'>;
  log: Log;
}

export type FileKind = 'report' | 'archive';

/** Wait after so many attempts in milliseconds, with jitter. */
export const retryMs = (attempts: number, random: number): number =>
  Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 20)) * (0.5 + random / 2);

/** An attempt that was made. */
export interface Attempt {
  id: number;
  attempts: number;
  expiresAt: Date;
  digestAt: Date | null;
  outcome: Outcome;
  exchange: Exchange;
  ms: number;
  /** Undefined for anything that is no case. */
  place: CasePlace | undefined;
}

type CasePlace = Parameters<typeof saveTicket>[1];

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(deps: TurnDeps) {
  const { db, clock } = deps;

  /** Records the attempt before, and takes the next delivery; undefined at the end of the turn. */
  const step = (target: store.Claimed, made: Attempt | undefined, isOver: boolean) =>
    scoped(db, 'system', async (tx) => {
      const now = clock.now();
      if (made) await record(tx, deps, target.id, made);
      const mayGoOn = !isOver && made?.outcome.kind !== 'retry';
      const current = mayGoOn ? await store.extendLease(tx, target, new Date(now), new Date(now + leaseMs)) : undefined;
      const next = current && (await takeNext(tx, deps, current));
      if (next) return next;
      await store.endLease(tx, target);
      return undefined;
    });

  return {
    /** Sends what is due at a target. Never throws but while the database is away. */
    async run(id: number, closing: AbortSignal): Promise<void> {
      const started = clock.now();
      const target = await scoped(db, 'system', (tx) =>
        store.claimTarget(tx, id, new Date(started), new Date(started + leaseMs)),
      );
      if (!target) return;
      let made: Attempt | undefined;
      for (let count = 0; ; count++) {
        const isSlow = (made?.ms ?? 0) > store.slowMs;
        const isOver = isSlow || count >= maxDeliveries || clock.now() - started > maxTurnMs || closing.aborted;
        const next = await step(target, made, isOver);
        if (!next) return;
        made = await attempt(deps, next.target, next.delivery);
      }
    },
  };
}

interface Next {
  target: store.Claimed;
  delivery: store.Head & { message: Message; ticketing?: Ticketing };
}

/** The next delivery that is due, noted as sent. Ends those whose time is over, and escalations that are not needed. */
async function takeNext(tx: Tx, deps: TurnDeps, target: store.Claimed): Promise<Next | undefined> {
  const now = new Date(deps.clock.now());
  for (;;) {
    const head = await store.findHead(tx, target.id, now);
    if (!head) return undefined;
    if (head.expiresAt <= now) {
      await store.end(tx, head, 'givenUp', expired(head.words));
      continue;
    }
    if (head.nextAt > now) return undefined;
    if (head.settled !== null) {
      await store.end(tx, head, 'notNeeded', head.settled);
      continue;
    }
    const isTicket = deps.kindOf(target.kind)?.tickets !== undefined;
    const written = await withNote(tx, target, head);
    if (!written) {
      await store.withdraw(tx, head.id, 'The note is internal or was removed.');
      continue;
    }
    if (head.event === fileEvent && !(await isClosedCase(tx, { clientId: head.clientId, caseId: head.objectId }))) {
      await store.end(tx, head, 'notNeeded', 'The case was reopened, merged or removed.');
      continue;
    }
    const message =
      head.message ??
      (await makeMessage(tx, deps, target.organisationId, written, isTicket, await gather(tx, target.id, head, now)));
    await store.markSent(tx, head, message, now);
    const delivery = { ...head, attempts: head.attempts + 1, message };
    if (!isTicket) return { target, delivery };
    const place = { targetId: target.id, organisationId: target.organisationId, clientId: head.clientId };
    const caseId = isOfCase(head) ? head.objectId : undefined;
    const ticketing = await readTicketing(tx, { ...place, caseId });
    if (head.event === 'case.statusChanged' && ticketing.setup?.time && isClosing(head.facts))
      ticketing.handledMinutes = await readHandledMinutes(tx, { clientId: head.clientId, caseId: head.objectId }, head.eventAt);
    if (head.event === fileEvent) ticketing.file = fileFor(deps, head, message);
    return { target, delivery: { ...delivery, ticketing } };
  }
}

/** The others of a delivery’s digest, joined to it. */
async function gather(tx: Tx, targetId: number, head: store.Head, now: Date): Promise<store.Head[]> {
  if (head.digestAt === null) return [];
  const others = await store.listDigest(tx, targetId, head, now, maxDigestEvents - 1);
  if (others.length > 0) {
    const ids = others.map(({ id }) => id);
    await store.joinDigest(tx, head.id, ids);
  }
  return others;
}

function fileFor({ fileOf }: TurnDeps, { clientId, objectId, facts }: store.Head, message: Message): TicketFile {
  const kind: FileKind = facts.file === 'archive' ? 'archive' : 'report';
  const [extension, type] = kind === 'archive' ? (['zip', 'application/zip'] as const) : (['pdf', 'application/pdf'] as const);
  const title = kind === 'archive' ? 'Archive of the case' : 'Report of the case';
  return { name: fileNameOf(message, extension), title, type, make: () => fileOf(clientId, objectId, kind) };
}

/** A delivery of a note with its text; undefined once the client may not read it. Checked before every attempt, also a replayed one. */
async function withNote(tx: Tx, { organisationId }: store.Claimed, head: store.Head): Promise<store.Head | undefined> {
  if (head.event !== noteEvent) return head;
  const { objectId: caseId, clientId, facts } = head;
  const note = await findTicketNote(tx, { noteId: Number(facts.note), caseId, clientId, owner: organisationId });
  return note && { ...head, facts: { ...facts, ...note } };
}

const expired = (words: string | null): string =>
  `Not accepted within ${deliveryHours} hours.${words === null ? '' : ` ${words}`}`.slice(0, maxWords);

/** Message in the brand of the target's owner. */
export const makeMessage = async (
  tx: Tx,
  { brand }: Pick<TurnDeps, 'brand'>,
  owner: number,
  subject: Subject,
  isTicket = false,
  others: readonly Subject[] = [],
): Promise<Message> => {
  const detections =
    isTicket && isOfCase(subject) && subject.event !== noteEvent && subject.event !== fileEvent
      ? await listDetections(tx, subject.clientId, subject.objectId)
      : [];
  const mailBrand = await brand.ofMails(tx, owner);
  return others.length > 0 ? digestOf([subject, ...others], owner, mailBrand) : messageOf(subject, mailBrand, detections);
};

const isOfCase = ({ event }: Pick<Subject, 'event'>): boolean => event.startsWith('case.');

type Sendable = Pick<store.Head, 'id' | 'attempts' | 'expiresAt' | 'openedAs' | 'digestAt'> & {
  message: Message;
  ticketing?: Ticketing;
};

/** Sends a delivery. Never throws but while the database is away. */
export async function attempt(
  deps: TurnDeps,
  target: Omit<store.Claimed, 'version' | 'failures'>,
  delivery: Sendable,
): Promise<Attempt> {
  const { id, attempts, expiresAt, digestAt } = delivery;
  const started = performance.now();
  let exchange: Exchange = { request: null, answer: null, status: null };
  const outcomeOf = async (): Promise<Outcome> => {
    const kind = deps.kindOf(target.kind);
    if (!kind) return { kind: 'retry', words: 'This version of the portal doesn’t have this kind of target.' };
    if (kind.isInside === 'push') {
      const pushed = await traced(`deliver ${target.kind}`, {}, () => deps.push(target, delivery));
      exchange = pushed.exchange;
      return pushed.outcome;
    }
    if (kind.isInside) return deps.call(target, delivery.message);
    const secrets = await openSecrets(deps, target);
    const values = validValues(kind, target.settings, secrets, deps.clock.now());
    const { send, sendBytes, exchange: recorded } = createSend(deps.outbound, Object.values(secrets));
    exchange = recorded;
    const { message, openedAs, ticketing } = delivery;
    const { isOfClient = false } = target;
    const sent = { message, attempt: attempts, at: deps.clock.now(), openedAs, isOfClient, ...(ticketing && { ticketing }) };
    return traced(`deliver ${target.kind}`, {}, () => kind.send(sent, values, send, sendBytes));
  };
  const outcome = await outcomeOf().catch((error): Outcome => {
    if (isDatabaseAway(error)) throw error;
    if (error instanceof VendorError) return { kind: 'retry', words: error.message };
    deps.log.error({ err: error, delivery: id }, 'a delivery failed');
    return { kind: 'retry', words: 'The portal could not send this. It tries again.' };
  });
  const ms = performance.now() - started;
  deps.metrics?.delivered(target.kind, outcome.kind, ms / 1000);
  return { id, attempts, expiresAt, digestAt, outcome, exchange, ms, place: placeOf(target, delivery.message) };
}

const placeOf = ({ id, organisationId }: Pick<store.Claimed, 'id' | 'organisationId'>, { event, at, data }: Message) =>
  isOfCase({ event })
    ? { targetId: id, organisationId, clientId: Number(data.organisation), caseId: Number(data.id), eventAt: new Date(at) }
    : undefined;

export const openSecrets = (
  { vault, log }: TurnDeps,
  target: Pick<store.Claimed, 'id' | 'organisationId' | 'secrets'>,
): Promise<Values> =>
  vault.open(target).catch((error) => {
    if (isDatabaseAway(error)) throw error;
    log.error({ err: error, target: target.id }, 'secrets of a target could not be opened');
    throw new RefusedError('The stored secrets can’t be read any longer. Replace them.');
  });

/** Records what an attempt ended with, at the delivery and at its target. */
export async function record(
  tx: Tx,
  { clock, random }: Pick<TurnDeps, 'clock' | 'random'>,
  targetId: number,
  { id, attempts, expiresAt, digestAt, outcome, exchange, ms, place }: Attempt,
  isTest = false,
): Promise<void> {
  const now = clock.now();
  const words = outcome.kind === 'accepted' ? null : storable(outcome.words).slice(0, maxWords);
  const nextAt = outcome.kind === 'retry' ? now + waitOf(outcome, attempts, random()) : undefined;
  const isLast = isTest || outcome.kind === 'refused' || (nextAt !== undefined && nextAt >= expiresAt.getTime());
  const shown = words !== null && outcome.kind === 'retry' && isLast && !isTest ? expired(words) : words;
  const ended: store.Ended = {
    state: words === null ? 'accepted' : isLast ? 'givenUp' : 'failed',
    words: shown,
    acceptedId: outcome.kind === 'accepted' && outcome.id !== null ? storable(outcome.id).slice(0, 300) : null,
    acceptedUrl: outcome.kind === 'accepted' && outcome.ticket ? storable(outcome.ticket.url).slice(0, 1_000) : null,
    nextAt: nextAt === undefined ? undefined : new Date(nextAt),
    ...exchange,
  };
  await store.saveAttempt(tx, { id, digestAt, attempts }, ended, new Date(now));
  await store.saveTarget(tx, targetId, words, ms, new Date(now));
  if (place && outcome.kind === 'accepted' && outcome.ticket) await saveTicket(tx, place, outcome.ticket, new Date(now));
  if (place && outcome.kind === 'refused' && outcome.isGone) await markGone(tx, place, new Date(now));
}

const waitOf = ({ afterMs }: Extract<Outcome, { kind: 'retry' }>, attempts: number, random: number): number =>
  afterMs === undefined ? retryMs(attempts, random) : afterMs * (1 + random / 10);
