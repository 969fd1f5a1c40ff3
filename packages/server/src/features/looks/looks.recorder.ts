/**
 * Looks of staff into the data of clients, collected in memory and written together: a new one within a second, further ones of the same kind
 * into the same client only as a count, later. A graceful stop writes all.
 */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { LookChannel, LookKind, SensitiveView } from '@parapet/contract/rules/looks.ts';
import type { Clock } from '../../core/clock.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Looked, LookInput } from '../../core/http/serve.ts';
import type { Log } from '../../core/log.ts';
import { lookKindByCall, type Subject, subjectOf } from './looks.calls.ts';

export type Person = Pick<Actor, 'userId' | 'organisationId' | 'organisationIds' | 'displayName'>;

/** Requests of one kind by one way for one subject. */
export interface Look {
  subject: Subject;
  kind: LookKind;
  channel: LookChannel;
  view: SensitiveView | '';
  requests: number;
  firstAt: number;
  lastAt: number;
}

export interface RecorderDeps {
  clock: Clock;
  log: Log;
  /** Stores the looks of one person. */
  write: (person: Person, looks: readonly Look[]) => Promise<void>;
}

const tickMs = 500;
/** Until a look that is not known yet is written. */
const newMs = 500;
/** Until counts of known looks are written: of one client, and of lists over all. */
const knownMs = { one: 60_000, all: 5 * 60_000 };

interface Pending {
  person: Person;
  look: Look;
  dueAt: number;
}

const channelOf = (actor: Actor, { answers }: Endpoint): LookChannel =>
  actor.apiKey ? 'apiKey' : answers === 'file' ? 'export' : 'portal';

/** The own organisation, or no row. */
const isOfNoClient = (subject: Subject, own: number): boolean =>
  subject !== 'all' &&
  (('client' in subject && subject.client === own) || ('clients' in subject && subject.clients.length === 0));

export function createLookRecorder({ clock, log, write }: RecorderDeps) {
  let pending = new Map<string, Pending>();
  /** Time of the last write of each look. */
  const written = new Map<string, number>();
  let writing: Promise<unknown> = Promise.resolve();
  let hasFailed = false;

  const looked: Looked = (actor: Actor, endpoint: Endpoint, input: LookInput, channel = channelOf(actor, endpoint)) => {
    const { organisationIds, organisationId, userId } = actor;
    // The client’s own people.
    if (organisationIds.length === 1 && organisationIds[0] === organisationId) return;
    const kind = lookKindByCall.get(endpoint.id);
    if (kind === undefined) return;
    const subject = subjectOf(endpoint, input);
    if (isOfNoClient(subject, organisationId)) return;
    const view = endpoint.sensitive ?? '';
    const key = `${userId} ${channel} ${kind} ${view} ${JSON.stringify(subject)}`;
    const now = clock.now();
    const before = pending.get(key);
    if (before) {
      before.look.requests++;
      before.look.lastAt = now;
      return;
    }
    const last = written.get(key);
    const dueAt = last === undefined ? now + newMs : last + knownMs[subject === 'all' ? 'all' : 'one'];
    const { displayName } = actor;
    const look = { subject, kind, channel, view, requests: 1, firstAt: now, lastAt: now } as const;
    pending.set(key, { person: { userId, organisationId, organisationIds, displayName }, look: { ...look }, dueAt });
  };

  async function writeDue(isDue: (entry: Pending) => boolean): Promise<void> {
    const now = clock.now();
    for (const [key, at] of written) if (at < now - knownMs.all) written.delete(key);
    const due = [...pending].filter(([, entry]) => isDue(entry));
    const people = new Map<number, [string, Pending][]>();
    for (const one of due) {
      pending.delete(one[0]);
      const { userId } = one[1].person;
      people.set(userId, [...(people.get(userId) ?? []), one]);
    }
    for (const entries of people.values()) {
      try {
        await write(
          entries[0]![1].person,
          entries.map(([, { look }]) => look),
        );
        for (const [key] of entries) written.set(key, now);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.error({ err: error }, 'looks were not written to the access log yet');
        hasFailed = true;
        for (const [key, entry] of entries) putBack(key, entry);
      }
    }
  }

  function putBack(key: string, { person, look, dueAt }: Pending): void {
    const since = pending.get(key)?.look;
    const sum = since ? { requests: look.requests + since.requests, lastAt: since.lastAt } : {};
    pending.set(key, { person, look: { ...look, ...sum }, dueAt });
  }

  const inTurn = (isDue: (entry: Pending) => boolean): Promise<void> => {
    const next = writing.then(() => writeDue(isDue));
    writing = next;
    return next;
  };
  const timer = setInterval(() => {
    const now = clock.now();
    for (const { dueAt } of pending.values())
      if (dueAt <= now) {
        void inTurn((entry) => entry.dueAt <= now);
        return;
      }
  }, tickMs).unref();

  return {
    looked,
    /** Writes all looks of a person. */
    flush: (userId: number): Promise<void> => inTurn(({ person }) => person.userId === userId),
    /** Writes those that are new. */
    flushNew: (userId: number): Promise<void> =>
      inTurn(({ person, dueAt }) => person.userId === userId && dueAt <= clock.now() + newMs),
    async close(): Promise<void> {
      clearInterval(timer);
      await inTurn(() => true);
      if (pending.size > 0) log.error({ looks: pending.size }, 'looks were lost for the access log');
      pending = new Map();
    },
  };
}
export type LookRecorder = ReturnType<typeof createLookRecorder>;
