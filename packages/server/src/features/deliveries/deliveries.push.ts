/** Notifications to the browsers of people, encrypted for each (docs/decisions/0175-browser-notifications.md). */
import { RefusedError, VendorError } from '@parapet/connectors/errors.ts';
import { failureOf } from '@parapet/connectors/out/outcomes.ts';
import type { Message, Outcome } from '@parapet/connectors/out/target.ts';
import type { Permission } from '@parapet/contract/access.ts';
import webPush from 'web-push';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { onOneLine } from '../../core/mail/render.ts';
import type { Outbound } from '../../core/outbound.ts';
import { createSend, type Exchange } from './deliveries.http.ts';
import { findCalled } from './deliveries.oncall.call.ts';
import type { PushKeys } from './deliveries.push.keys.ts';
import * as store from './deliveries.push.store.ts';
import type { createPushVault } from './deliveries.vault.ts';

/** Browsers of one target: more are not reached. */
const maxBrowsersOfTarget = 500;
/** Requests at a time, and until when further ones begin: an attempt ends within the lease of its target. */
const parallel = 16;
const maxStartMs = 30_000;
/** A browser whose push service failed more often is tried once for each delivery, and holds none back. */
const maxHeld = 6;
/** A push service holds a notification so long for a browser that is closed. */
const holdSeconds = 24 * 3_600;
const maxWords = 300;

export interface PushDeps {
  db: Database;
  clock: Clock;
  outbound: Pick<Outbound, 'fetch' | 'openTls'>;
  pushVault: ReturnType<typeof createPushVault>;
  pushKeys: PushKeys;
  /** Address for operators of push services. */
  mailFrom: string;
  actorNow: (tx: Tx, userId: number, apiKeyId: undefined) => Promise<Omit<Actor, 'address'> | undefined>;
  log: Log;
}

interface PushTarget {
  id: number;
  organisationId: number;
  settings: Record<string, string>;
}

/** Permission to read an event. */
const permissionOf = (event: string): Permission => {
  const [subject] = event.split('.');
  if (subject === 'case') return 'cases:read';
  if (subject === 'response') return 'responses:read';
  return subject === 'source' || subject === 'vulnerability' ? 'devices:read' : 'dashboard:read';
};

/** Text of a notification: short, plain, and with a path in place of an address. */
export function notificationOf({ id, title, client, severity, url }: Message): string {
  const { pathname, search } = new URL(url);
  const body = [client, severity].filter((part) => part !== null && part !== '').join(' · ');
  return JSON.stringify({ id, title: onOneLine(title, 160), body: onOneLine(body, 160), path: `${pathname}${search}` });
}

const isUrgent = ({ severity, data }: Message): boolean =>
  severity === 'critical' || severity === 'high' || data.unacknowledgedMinutes !== undefined;

type Result = { id: number; failures: number; words: string } & (
  | { kind: 'reached' | 'gone' | 'refused' }
  | { kind: 'failed'; afterMs: number | undefined }
);

export type Push = ReturnType<typeof createPush>;

export function createPush(deps: PushDeps) {
  const { db, clock, outbound, pushVault, pushKeys, mailFrom, actorNow, log } = deps;
  const vapidDetails = { subject: `mailto:${mailFrom}`, ...pushKeys };

  /** The browsers of people who may read the message and have to get it, or the outcome without any. */
  const recipientsOf = async (tx: Tx, target: PushTarget, deliveryId: number, message: Message) => {
    const { people = 'all' } = target.settings;
    let only: number | undefined;
    if (people !== 'all') {
      const called = await findCalled(tx, { ...target, settings: { place: people } }, clock.now());
      if ('waitMs' in called)
        return { kind: 'retry', words: 'No person is on call now: the notification waits.', afterMs: called.waitMs } as const;
      only = called.person.id;
    }
    const all = await store.listSubscriptions(tx, target.organisationId, deliveryId, maxBrowsersOfTarget);
    const readers = new Map<number, boolean>();
    const mayRead = async (userId: number): Promise<boolean> => {
      if (only !== undefined && userId !== only) return false;
      const actor = await actorNow(tx, userId, undefined);
      const isInScope = actor?.organisationIds.includes(Number(message.data.organisation ?? target.organisationId));
      return actor !== undefined && isInScope === true && mayAs(actor, permissionOf(message.event));
    };
    for (const { userId } of all) if (!readers.has(userId)) readers.set(userId, await mayRead(userId));
    return all.filter(({ userId }) => readers.get(userId));
  };

  /** One request to a push service. */
  const send = async (row: store.Subscription, organisationId: number, message: Message): Promise<Result> => {
    const { id, failures } = row;
    const { endpoint = '', ...keys } = await pushVault.open({ id, organisationId, secrets: row.subscription });
    const { host } = new URL(endpoint);
    const failed = (words: string, afterMs?: number): Result => ({ kind: 'failed', id, failures, words, afterMs });
    try {
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint, keys: keys as { p256dh: string; auth: string } },
        notificationOf(message),
        { vapidDetails, TTL: holdSeconds, urgency: isUrgent(message) ? 'high' : 'normal', topic: message.id.replaceAll('-', '') },
      );
      const { 'Content-Length': _length, ...others } = headers;
      const sent = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
      const answer = await createSend(outbound, []).send({ method: 'POST', url: endpoint, headers: sent, body: body! });
      const { status } = answer;
      if (status === 201) return { kind: 'reached', id, failures, words: `${host}: 201` };
      if (status === 404 || status === 410)
        return { kind: 'gone', id, failures, words: `${host} returned ${status}: the browser was removed.` };
      if (status >= 200 && status < 300)
        return { kind: 'refused', id, failures, words: `${host} returned ${status}, which confirms nothing.` };
      const outcome = failureOf(host, answer);
      if (outcome.kind === 'retry') return failed(outcome.words, outcome.afterMs);
      return { kind: 'refused', id, failures, words: outcome.kind === 'refused' ? outcome.words : host };
    } catch (error) {
      if (error instanceof RefusedError) return { kind: 'refused', id, failures, words: error.message };
      if (error instanceof VendorError) return failed(error.message);
      log.error({ err: error, subscription: id }, 'a notification could not be sent');
      return failed('The portal could not send this. It tries again.');
    }
  };

  /** Recorded as soon as it is known, so that a repetition leaves out who was reached. */
  const recordResult = (owner: number, deliveryId: number, result: Result) =>
    scoped(db, 'system', async (tx) => {
      if (result.kind === 'reached') await store.saveReceipt(tx, owner, deliveryId, result.id, new Date(clock.now()));
      else if (result.kind === 'gone') await store.removeGone(tx, result.id);
      else await store.saveFailure(tx, result.id, storable(result.words).slice(0, maxWords));
    });

  return async (
    target: PushTarget,
    { id: deliveryId, message }: { id: number; message: Message },
  ): Promise<{ outcome: Outcome; exchange: Exchange }> => {
    const exchange: Exchange = { request: notificationOf(message), answer: null, status: null };
    const found = await scoped(db, 'system', (tx) => recipientsOf(tx, target, deliveryId, message), { readOnly: true });
    if (!Array.isArray(found)) return { outcome: found, exchange };
    const results: Result[] = [];
    const waiting = found.filter(({ isReached }) => !isReached);
    const until = performance.now() + maxStartMs;
    const work = async () => {
      for (let row = waiting.shift(); row; row = performance.now() < until ? waiting.shift() : undefined) {
        const result = await send(row, target.organisationId, message);
        await recordResult(target.organisationId, deliveryId, result);
        results.push(result);
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    const before = found.filter(({ isReached }) => isReached).length;
    const lines = [...new Set(results.map(({ words }) => words))];
    return {
      outcome: outcomeOf(results, before, waiting.length),
      exchange: {
        ...exchange,
        answer: lines.length > 0 ? storable(lines.join('\n')) : null,
        status: results.some(({ kind }) => kind === 'reached') ? 201 : null,
      },
    };
  };
}

const noBrowser =
  'No person who should get this has notifications turned on in a browser: Settings › Notifications. Then replay.';

/** Accepted once a push service accepted it, and none is left for which it waits. */
function outcomeOf(results: readonly Result[], before: number, left: number): Outcome {
  const reached = before + results.filter(({ kind }) => kind === 'reached').length;
  const failed = results.filter((each) => each.kind === 'failed');
  const held = failed.filter(({ failures }) => reached === 0 || failures < maxHeld);
  if (held.length > 0 || left > 0) {
    const waits = held.flatMap(({ afterMs }) => afterMs ?? []);
    const words = `${held[0]?.words ?? `${left} browsers are left.`}${reached > 0 ? ` Accepted for ${browsers(reached)}.` : ''}`;
    return { kind: 'retry', words, ...(waits.length > 0 && { afterMs: Math.max(...waits) }) };
  }
  const missed = failed.length + results.filter(({ kind }) => kind === 'refused').length;
  if (reached > 0)
    return { kind: 'accepted', id: missed === 0 ? browsers(reached) : `${reached} of ${browsers(reached + missed)}` };
  return { kind: 'refused', words: results.map(({ words }) => words)[0] ?? noBrowser };
}

const browsers = (count: number): string => (count === 1 ? '1 browser' : `${count} browsers`);
