/** Rotas of people on call, as administrators change them. */
import { allClients } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { OnCallShift, onCallApi } from '@parapet/contract/onCall.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { maxOverrideDays, maxOverrides, onCallPreviewDays, onCallTurns } from '@parapet/contract/rules/onCall.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { AuditedShifts } from './deliveries.audit.ts';
import * as store from './deliveries.oncall.store.ts';

const shownNotes = 10;
const iso = (at: number): string => new Date(at).toISOString();

/** Shifts as the audit log names them. */
const audited = (zone: string | null, shifts: readonly OnCallShift[]): AuditedShifts => ({
  zone,
  shifts: shifts.map(({ userId: user, place, days, from, to }) => ({ user, place, days, from, to })),
});

export type OnCallService = ReturnType<typeof createOnCall>;

export function createOnCall({ db, clock }: { db: Database; clock: Clock }) {
  /** Throws invalid for a person who is not of the organisation. */
  const checkPeople = async (tx: Tx, scope: Scope, owner: number, wanted: readonly (readonly [string, number])[]) => {
    const people = new Set((await store.listPeople(tx, scope, owner)).map(({ id }) => id));
    for (const [field, id] of wanted)
      if (!people.has(id)) throw problem.invalid({ [field]: ['Choose a person of this organisation.'] });
  };

  return {
    async get(actor: Actor, client: number): Promise<AnswerOf<typeof onCallApi.get>> {
      const owner = client === allClients ? actor.organisationId : client;
      const scope = scopeFor(actor, owner);
      const now = clock.now();
      const until = now + onCallPreviewDays * dayMs;
      return readScoped(db, scope, async (tx) => {
        const people = await store.listPeople(tx, scope, owner);
        const shifts = await store.listShifts(tx, scope, owner);
        const overrides = await store.listOverrides(tx, owner, new Date(now));
        const spans = await store.listSpans(tx, owner, new Date(now), new Date(until));
        const notes = await store.listNotes(tx, scope, owner, shownNotes);
        const names = new Map(people.map(({ id, name }) => [id, name]));
        return {
          clientOrganizationID: owner,
          zone: shifts[0]?.zone ?? null,
          shifts: shifts.map(({ zone: _zone, ...shift }) => shift),
          overrides: overrides
            .toSorted((one, other) => one.starts - other.starts)
            .map(({ starts, ends, ...override }) => ({ ...override, starts: iso(starts), ends: iso(ends) })),
          notes: notes.map(({ writtenAt, ...note }) => ({ ...note, writtenAt: writtenAt.toISOString() })),
          people,
          turns: onCallTurns(spans, overrides, { from: now, until }).map(({ userId, starts, ends, ...turn }) => ({
            ...turn,
            userName: userId === null ? null : (names.get(userId) ?? null),
            starts: iso(starts),
            ends: iso(ends),
          })),
        };
      });
    },

    async saveShifts(actor: Actor, owner: number, zone: string, shifts: readonly OnCallShift[]): Promise<void> {
      const scope = scopeFor(actor, owner);
      await scoped(db, scope, async (tx) => {
        const wanted = shifts.map(({ userId }, place) => [`shifts.${place}.userId`, userId] as const);
        await checkPeople(tx, scope, owner, wanted);
        const before = await store.listShifts(tx, scope, owner);
        await store.replaceShifts(tx, scope, owner, zone, shifts);
        const change = { before: audited(before[0]?.zone ?? null, before), after: audited(zone, shifts) };
        await recordAudit(tx, actor, { action: 'onCall.shiftsSaved', organisationId: owner, target: String(owner), ...change });
      });
    },

    async addOverride(
      actor: Actor,
      owner: number,
      { userId, place, starts, ends }: { userId: number; place: number; starts: string; ends: string },
    ): Promise<AnswerOf<typeof onCallApi.addOverride>> {
      const scope = scopeFor(actor, owner);
      const span = { userId, place, starts: new Date(starts), ends: new Date(ends) };
      const length = span.ends.getTime() - span.starts.getTime();
      if (length <= 0) throw problem.invalid({ ends: ['The end comes after the begin.'] });
      if (length > maxOverrideDays * dayMs)
        throw problem.invalid({ ends: [`At most ${maxOverrideDays} days. Change the shifts instead.`] });
      if (span.ends.getTime() <= clock.now()) throw problem.invalid({ ends: ['This time is over.'] });
      return scoped(db, scope, async (tx) => {
        await checkPeople(tx, scope, owner, [['userId', userId]]);
        if ((await store.listOverrides(tx, owner, new Date(clock.now()))).length >= maxOverrides)
          throw problem.conflict(`At most ${maxOverrides} swaps can be planned. Remove some, or change the shifts instead.`);
        const id = await store.insertOverride(tx, owner, span);
        const after = { user: userId, place, starts, ends };
        await recordAudit(tx, actor, { action: 'onCall.overrideAdded', organisationId: owner, target: String(id), after });
        return { id };
      });
    },

    async removeOverride(actor: Actor, owner: number, id: number): Promise<void> {
      const scope = scopeFor(actor, owner);
      await scoped(db, scope, async (tx) => {
        const removed = await store.removeOverride(tx, scope, owner, id);
        if (!removed) throw problem.notFound('override', id);
        const { userId: user, place, starts, ends } = removed;
        const before = { user, place, starts: starts.toISOString(), ends: ends.toISOString() };
        await recordAudit(tx, actor, { action: 'onCall.overrideRemoved', organisationId: owner, target: String(id), before });
      });
    },

    async addNote(actor: Actor, owner: number, text: string): Promise<void> {
      const scope = scopeFor(actor, owner);
      await scoped(db, scope, async (tx) => {
        const author = { authorId: actor.userId, author: actor.displayName };
        await store.insertNote(tx, { owner, ...author, text, at: new Date(clock.now()) });
        await recordAudit(tx, actor, { action: 'onCall.noteWritten', organisationId: owner, target: String(owner) });
      });
    },
  };
}
