/**
 * Accesses of staff to the data of clients, collected in memory and written together: a new one within a second, further ones of the same kind
 * to the same client only as a count, later. A graceful stop writes all.
 */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { AccessChannel, AccessKind, SensitiveView } from '@parapet/contract/rules/client-access-log.ts';
import type { Clock } from '../../core/clock.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { RecordAccess } from '../../core/http/serve.ts';
import type { Log } from '../../core/log.ts';
import { accessKindByCall, type Subject, subjectOf } from './client-access-log.calls.ts';

export type Person = Pick<Actor, 'userId' | 'organisationId' | 'organisationIds' | 'displayName'>;

/** Requests of one kind by one way for one subject. */
export interface ClientAccess {
  subject: Subject;
  kind: AccessKind;
  channel: AccessChannel;
  view: SensitiveView | '';
  requests: number;
  firstAt: number;
  lastAt: number;
}

export interface RecorderDeps {
  clock: Clock;
  log: Log;
  /** Stores the accesses of one person. */
  write: (person: Person, accesses: readonly ClientAccess[]) => Promise<void>;
}

const tickMs = 500;
/** Until an access that is not known yet is written. */
const newMs = 500;
/** Until counts of known accesses are written: of one client, and of lists over all. */
const knownMs = { one: 60_000, all: 5 * 60_000 };

interface Pending {
  person: Person;
  access: ClientAccess;
  dueAt: number;
}

const channelOf = (actor: Actor, { answers }: Endpoint): AccessChannel =>
  actor.apiKey ? 'apiKey' : answers === 'file' ? 'export' : 'portal';

/** The own organisation, or no row. */
const isOfNoClient = (subject: Subject, own: number): boolean =>
  subject !== 'all' &&
  (('client' in subject && subject.client === own) || ('clients' in subject && subject.clients.length === 0));

export function createAccessRecorder({ clock, log, write }: RecorderDeps) {
  let pending = new Map<string, Pending>();
  /** Time of the last write of each access. */
  const written = new Map<string, number>();
  let writing: Promise<unknown> = Promise.resolve();
  let hasFailed = false;

  const recordAccess: RecordAccess = (actor, endpoint, input, channel = channelOf(actor, endpoint)) => {
    const { organisationIds, organisationId, userId } = actor;
    // The client’s own people.
    if (organisationIds.length === 1 && organisationIds[0] === organisationId) return;
    const kind = accessKindByCall.get(endpoint.id);
    if (kind === undefined) return;
    const subject = subjectOf(endpoint, input);
    if (isOfNoClient(subject, organisationId)) return;
    const view = endpoint.sensitive ?? '';
    const key = `${userId} ${channel} ${kind} ${view} ${JSON.stringify(subject)}`;
    const now = clock.now();
    const before = pending.get(key);
    if (before) {
      before.access.requests++;
      before.access.lastAt = now;
      return;
    }
    const last = written.get(key);
    const dueAt = last === undefined ? now + newMs : last + knownMs[subject === 'all' ? 'all' : 'one'];
    const { displayName } = actor;
    const access = { subject, kind, channel, view, requests: 1, firstAt: now, lastAt: now } as const;
    pending.set(key, { person: { userId, organisationId, organisationIds, displayName }, access: { ...access }, dueAt });
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
          entries.map(([, { access }]) => access),
        );
        for (const [key] of entries) written.set(key, now);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.error({ err: error }, 'accesses were not written to the access log yet');
        hasFailed = true;
        for (const [key, entry] of entries) putBack(key, entry);
      }
    }
  }

  function putBack(key: string, { person, access, dueAt }: Pending): void {
    const since = pending.get(key)?.access;
    const sum = since ? { requests: access.requests + since.requests, lastAt: since.lastAt } : {};
    pending.set(key, { person, access: { ...access, ...sum }, dueAt });
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
    recordAccess,
    /** Writes all accesses of a person. */
    flush: (userId: number): Promise<void> => inTurn(({ person }) => person.userId === userId),
    /** Writes those that are new. */
    flushNew: (userId: number): Promise<void> =>
      inTurn(({ person, dueAt }) => person.userId === userId && dueAt <= clock.now() + newMs),
    async close(): Promise<void> {
      clearInterval(timer);
      await inTurn(() => true);
      if (pending.size > 0) log.error({ accesses: pending.size }, 'accesses were lost for the access log');
      pending = new Map();
    },
  };
}
