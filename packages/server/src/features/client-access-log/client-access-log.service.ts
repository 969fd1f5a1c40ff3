/** Reasons of accesses, and the access log as its readers may see it (docs/decisions/0094-access-log.md). */
import type { Readable } from 'node:stream';
import { allClients } from '@parapet/contract/access.ts';
import type { AccessRow, clientAccessLogApi, giveReasonBody } from '@parapet/contract/client-access-log.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import {
  type AccessChannel,
  type AccessKind,
  accessChannelTexts,
  accessKindTexts,
  reasonText,
  type SensitiveView,
  sensitiveMs,
  sensitiveViewTexts,
  shiftMs,
} from '@parapet/contract/rules/client-access-log.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { type Columns, csvOf } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { sealAccesses } from '../../domain/accessSeals.ts';
import { recordAudit } from '../../domain/audit.ts';
import './client-access-log.audit.ts';
import { accessObjects, type Subject } from './client-access-log.calls.ts';
import { type ClientAccess, createAccessRecorder, type Person } from './client-access-log.recorder.ts';
import * as store from './client-access-log.store.ts';

const maxExported = 50_000;
const exportBatchSize = 1_000;

export type ClientAccessLogService = ReturnType<typeof createClientAccessLogService>;
type GiveReason = z.output<typeof giveReasonBody>;
type Filter = store.AccessFilter;

const columns: Columns<AccessRow> = [
  ['Client', (row) => row.clientOrganizationName],
  ['Person', (row) => row.personName],
  ['Of', (row) => row.personOrganizationName],
  ['From', (row) => row.firstAt],
  ['To', (row) => row.lastAt],
  ['Reason', (row) => reasonText(row.reason, row.reasonText)],
  ['Sensitive view', (row) => (row.view === null ? '' : sensitiveViewTexts[row.view])],
  ['Data', (row) => row.kinds.map((kind) => accessKindTexts[kind]).join(', ')],
  ['By', (row) => row.channels.map((channel) => accessChannelTexts[channel]).join(', ')],
  ['Access', (row) => (row.isOpened ? 'Opened' : 'In lists of all clients')],
  ['Requests', (row) => row.requests],
];

const toRow = (access: store.AccessEntry): AccessRow => ({
  id: access.id,
  clientOrganizationID: access.organisationId,
  clientOrganizationName: access.organisationName,
  personName: access.personName,
  personOrganizationName: access.personOrganisationName,
  firstAt: access.firstAt.toISOString(),
  lastAt: access.lastAt.toISOString(),
  requests: access.requests,
  view: access.view === '' ? null : (access.view as SensitiveView),
  kinds: access.kinds as AccessKind[],
  channels: access.channels as AccessChannel[],
  isOpened: access.isOpened,
  reason: access.reason as AccessRow['reason'],
  reasonText: access.reasonText,
});

/** Clients of all objects among the subjects. */
async function ownersOf(tx: Tx, subjects: readonly Subject[]): Promise<(subject: Subject) => readonly number[] | undefined> {
  const found = new Map<string, Map<number, number[]>>();
  for (const object of accessObjects) {
    const ids = subjects.flatMap((subject) =>
      subject !== 'all' && 'object' in subject && subject.object === object ? [subject.id] : [],
    );
    if (ids.length > 0) found.set(object, await store.listOwners(tx, 'system', object, ids));
  }
  return (subject) => {
    if (subject === 'all') return undefined;
    if ('clients' in subject) return subject.clients;
    return 'client' in subject ? [subject.client] : (found.get(subject.object)?.get(subject.id) ?? []);
  };
}

/** True for a client or an object by its own name; several clients are a list. */
const isNamed = (subject: Subject): boolean => subject !== 'all' && !('clients' in subject);

/** The shift of accesses, which begins with the first. */
async function shiftOf(tx: Tx, person: Person, accesses: readonly ClientAccess[]): Promise<store.Shift> {
  const startedAt = new Date(Math.min(...accesses.map(({ firstAt }) => firstAt)));
  const lastAt = new Date(Math.max(...accesses.map((access) => access.lastAt)));
  return (
    (await store.findShift(tx, person.userId, lastAt)) ??
    store.insertShift(tx, person, { startedAt, until: new Date(lastAt.getTime() + shiftMs), reason: null, reasonText: '' })
  );
}

/** Joins accesses by client and view. */
function sumsOf(
  person: Person,
  accesses: readonly ClientAccess[],
  shift: store.Shift,
  clientsOf: Awaited<ReturnType<typeof ownersOf>>,
) {
  const sums = new Map<string, store.AccessSum>();
  for (const access of accesses) {
    const clients = clientsOf(access.subject);
    for (const organisation of clients ?? person.organisationIds) {
      if (organisation === person.organisationId) continue;
      const key = `${organisation} ${access.view}`;
      const [firstAt, lastAt] = [new Date(access.firstAt), new Date(access.lastAt)];
      const isOfShift = access.view === '';
      const sum = sums.get(key) ?? {
        organisation,
        view: access.view,
        kinds: [],
        channels: [],
        requests: 0,
        firstAt,
        lastAt,
        until: isOfShift ? shift.until : new Date(access.firstAt + sensitiveMs),
        isOpened: false,
        reason: isOfShift ? shift.reason : null,
        reasonText: isOfShift ? shift.reasonText : '',
      };
      sum.kinds = [...new Set([...sum.kinds, access.kind])].sort();
      sum.channels = [...new Set([...sum.channels, access.channel])].sort();
      sum.requests += access.requests;
      if (firstAt < sum.firstAt) sum.firstAt = firstAt;
      if (lastAt > sum.lastAt) sum.lastAt = lastAt;
      sum.isOpened ||= clients?.length === 1 && isNamed(access.subject);
      sums.set(key, sum);
    }
  }
  return [...sums.values()];
}

const writeAccesses =
  (db: Database) =>
  (person: Person, accesses: readonly ClientAccess[]): Promise<void> =>
    scoped(db, 'system', async (tx) => {
      await store.lockPerson(tx, person.userId);
      const subjects = accesses.map(({ subject }) => subject);
      const clientsOf = await ownersOf(tx, subjects);
      const shift = await shiftOf(tx, person, accesses);
      const sums = sumsOf(person, accesses, shift, clientsOf);
      if (sums.length > 0) await store.addAccesses(tx, { ...person, displayName: storable(person.displayName) }, sums);
    });

/** Another reason than the shift’s ends it and begins a new one. */
async function giveForShift(tx: Tx, actor: Actor, given: store.Given, now: Date): Promise<void> {
  const shift = await store.findShift(tx, actor.userId, now);
  if (shift?.reason === given.reason && shift.reasonText === given.text) return;
  if (shift && shift.reason === null) return store.setShiftReason(tx, actor.userId, shift, given);
  if (shift) await store.endShift(tx, actor.userId, shift, now);
  const until = new Date(now.getTime() + shiftMs);
  await store.insertShift(tx, actor, { startedAt: now, until, reason: given.reason, reasonText: given.text });
}

/** The reason waits for the first access where there was none. */
function giveForView(tx: Tx, actor: Actor, view: SensitiveView, organisation: number, given: store.Given, now: Date) {
  const until = new Date(now.getTime() + sensitiveMs);
  const none = { kinds: [], channels: [], requests: 0, firstAt: now, lastAt: now, until, isOpened: false };
  const sum = { organisation, view, ...none, reason: given.reason, reasonText: given.text };
  return store.addAccesses(tx, { ...actor, displayName: storable(actor.displayName) }, [sum]);
}

export function createClientAccessLogService({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
  const recorder = createAccessRecorder({ clock, log, write: writeAccesses(db) });

  return {
    recordAccess: recorder.recordAccess,
    close: recorder.close,

    async list(
      actor: Actor,
      client: number,
      { page, pageSize: limit, ...filter }: Filter & { page: number; pageSize: number },
    ): Promise<AnswerOf<typeof clientAccessLogApi.list>> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, async (tx) => {
        const rows = await store.listAccesses(tx, scope, filter, { limit, offset: (page - 1) * limit });
        return { results: rows.map(toRow), ...(await store.countAccesses(tx, scope, filter)) };
      });
    },

    async people(actor: Actor, client: number, range: Pick<Filter, 'start' | 'end'>) {
      const scope = scopeFor(actor, client);
      return { people: await readScoped(db, scope, (tx) => store.countPeople(tx, scope, range)) };
    },

    /** Streams the log as CSV in pages, to bound memory. */
    async exportList(actor: Actor, client: number, filter: Filter): Promise<Readable> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'looks.exported',
          organisationId: client || actor.organisationId,
          after: { client, ...filter },
        }),
      );
      const read = async (below: { position: string; id: number } | undefined) => {
        const rows = await readScoped(db, scope, (tx) =>
          store.listAccesses(tx, scope, filter, { limit: exportBatchSize, below }),
        );
        return { rows: rows.map(toRow), below: rows.length === exportBatchSize ? rows.at(-1) : undefined };
      };
      return csvOf(columns, read, maxExported);
    },

    async getReason(actor: Actor): Promise<AnswerOf<typeof clientAccessLogApi.getReason>> {
      const scope = scopeOf(actor);
      await recorder.flushNew(actor.userId);
      const now = new Date(clock.now());
      const { shift, missing } = await readScoped(db, scope, async (tx) => ({
        shift: await store.findShift(tx, actor.userId, now),
        missing: await store.listMissing(tx, scope, actor.userId, now),
      }));
      return {
        until: shift?.until.toISOString() ?? null,
        reason: shift?.reason ?? null,
        reasonText: shift?.reasonText ?? '',
        missing,
      };
    },

    async giveReason(actor: Actor, { reason, text, view, clientOrganizationID: client }: GiveReason): Promise<void> {
      const scope = scopeFor(actor, client);
      const given = { reason, text: storable(text) };
      // Earlier accesses get the reason too.
      await recorder.flush(actor.userId);
      const now = new Date(clock.now());
      await scoped(db, 'system', async (tx) => {
        await store.lockPerson(tx, actor.userId);
        if (!view) await giveForShift(tx, actor, given, now);
        else if (client === allClients) await store.setViewReason(tx, scope, actor.userId, view, given, now);
        else if (client !== actor.organisationId) await giveForView(tx, actor, view, client, given, now);
        await recordAudit(tx, actor, {
          action: 'looks.reasonGiven',
          organisationId: (view && client) || actor.organisationId,
          target: view ?? 'shift',
          after: { ...given, view: view ?? '', client },
        });
      });
    },

    /** Job: seals closed entries until none is left. */
    async seal(): Promise<void> {
      while ((await scoped(db, 'system', (tx) => sealAccesses(tx, new Date(clock.now())), { statementTimeoutMs: 60_000 })) > 0);
    },

    async dropOld(): Promise<void> {
      await scoped(db, 'system', store.dropOld, { statementTimeoutMs: 0 });
    },
  };
}
