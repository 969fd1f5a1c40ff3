/** People on call: who it is at each moment, also where clocks change, and how an escalation calls one after the other. */
import type { OnCallShift } from '@parapet/contract/onCall.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import * as store from '../src/features/deliveries/deliveries.oncall.store.ts';
import { type DeliveriesFixture, deliveriesFixture, everything, leaseMs } from './deliveries.fixture.ts';

let t: DeliveriesFixture;
beforeAll(async () => {
  t = await deliveriesFixture([]);
});
afterAll(() => t.close());

const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
const person = (organisationId: number, name: string): Promise<number> =>
  system(async (tx) => {
    const values = {
      organisation_id: organisationId,
      email: `${name}.${organisationId}@example.com`,
      first_name: name,
      last_name: 'Person',
      role: 'Analyst',
    };
    return (await tx.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow()).id;
  });
const everyDay = [1, 2, 3, 4, 5, 6, 7];
const save = (owner: number, zone: string, shifts: readonly OnCallShift[]) =>
  system((tx) => store.replaceShifts(tx, 'system', owner, zone, shifts));
const spansOf = async (owner: number, since: string, until: string) =>
  (await system((tx) => store.listSpans(tx, owner, new Date(since), new Date(until)))).map(({ userId, starts, ends }) => ({
    userId,
    starts: new Date(starts).toISOString(),
    hours: (ends - starts) / 3_600_000,
  }));

describe('a shift', () => {
  test('follows the local clock: a night lasts an hour less in spring, and one more in autumn', async () => {
    const owner = await t.organisation({ isPartner: true });
    const userId = await person(owner, 'Nora');
    await save(owner, 'Europe/Vienna', [{ userId, place: 1, days: everyDay, from: 22 * 60, to: 6 * 60 }]);
    expect(await spansOf(owner, '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
      { userId, starts: '2026-03-28T21:00:00.000Z', hours: 7 },
      { userId, starts: '2026-03-29T20:00:00.000Z', hours: 8 },
    ]);
    expect(await spansOf(owner, '2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
      { userId, starts: '2026-10-24T20:00:00.000Z', hours: 9 },
    ]);
  });

  test('hands over without gap or overlap, also within the hour that is left out or repeated', async () => {
    const owner = await t.organisation({ isPartner: true });
    const [day, night] = [await person(owner, 'Dora'), await person(owner, 'Nora')];
    const at = 2 * 60 + 30;
    await save(owner, 'Europe/Vienna', [
      { userId: day, place: 1, days: everyDay, from: at, to: 14 * 60 },
      { userId: night, place: 1, days: everyDay, from: 14 * 60, to: at },
    ]);
    for (const [since, until] of [
      ['2026-03-27T00:00:00Z', '2026-03-31T00:00:00Z'],
      ['2026-10-23T00:00:00Z', '2026-10-27T00:00:00Z'],
    ] as const) {
      const spans = (await spansOf(owner, since, until)).toSorted((one, other) => one.starts.localeCompare(other.starts));
      expect(spans.length).toBeGreaterThan(7);
      for (const [index, span] of spans.entries())
        if (index > 0) {
          const before = spans[index - 1]!;
          expect(Date.parse(before.starts) + before.hours * 3_600_000).toBe(Date.parse(span.starts));
        }
    }
  });
});

describe('an escalation', () => {
  test('calls the person on call, then the next, and ends with the acknowledgement', async () => {
    const owner = await t.organisation({ isPartner: true });
    const client = await t.organisation({ parentId: owner });
    const [anna, bert, cleo] = [await person(owner, 'Anna'), await person(owner, 'Bert'), await person(owner, 'Cleo')];
    const always = { days: everyDay, from: 0, to: 1440 };
    await save(owner, 'UTC', [
      { userId: anna, place: 1, ...always },
      { userId: bert, place: 2, ...always },
    ]);
    const now = t.clock.now();
    const [starts, ends] = [new Date(now - 60_000), new Date(now + 86_400_000)];
    await system((tx) => store.insertOverride(tx, owner, { userId: cleo, place: 2, starts, ends }));
    await system((tx) =>
      store.insertNote(tx, { owner, authorId: anna, author: 'Anna Person', text: 'Watch the mail server', at: starts }),
    );
    const [first, next] = [
      await t.target(owner, { kind: 'oncall', values: { place: '1' } }),
      await t.target(owner, { kind: 'oncall', values: { place: '2' } }),
    ];
    await t.rule(owner, {
      ...everything(first.id),
      events: ['case.opened'],
      afterMinutes: 15,
      escalations: [{ afterMinutes: 30, targetId: next.id }],
    });
    const [ignored, seen] = [await t.case(client), await t.case(client)];
    for (const objectId of [ignored, seen]) await t.queue(client, { event: 'case.opened', objectId });
    const turn = async () => {
      for (const { id } of [first, next]) await t.turn(id);
    };
    await turn();
    expect(t.mails).toEqual([]);
    t.forward(15 * 60_000 + leaseMs);
    await turn();
    expect(t.mails.map(({ to }) => to)).toEqual([[`Anna.${owner}@example.com`], [`Anna.${owner}@example.com`]]);
    expect(t.mails[0]!.paragraphs.join(' ')).toContain('Hand-over note: Watch the mail server');
    await system((tx) =>
      tx
        .updateTable('cases')
        .set({ acknowledged_at: new Date(t.clock.now()) })
        .where('id', '=', seen)
        .execute(),
    );
    t.forward(15 * 60_000 + leaseMs);
    await turn();
    expect(t.mails.slice(2).map(({ to, title }) => [to, title.includes(`#${ignored} `)])).toEqual([
      [[`Cleo.${owner}@example.com`], true],
    ]);
    expect((await t.rows(next.id)).map(({ state, accepted_id: id }) => [state, id])).toEqual([
      ['accepted', `Cleo.${owner}@example.com`],
      ['notNeeded', null],
    ]);
  });

  test('fails in words while no person is on call, and calls no person who left', async () => {
    const owner = await t.organisation({ isPartner: true });
    const { id } = await t.target(owner, { kind: 'oncall', values: { place: '1' } });
    await t.rule(owner, { ...everything(id), events: ['case.opened'] });
    const userId = await person(owner, 'Gone');
    await save(owner, 'UTC', [{ userId, place: 1, days: everyDay, from: 0, to: 1440 }]);
    await system((tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', userId).execute());
    await t.queue(owner, { event: 'case.opened', objectId: await t.case(owner) });
    const before = t.mails.length;
    await t.turn(id);
    expect(t.mails).toHaveLength(before);
    expect((await t.rows(id))[0]).toMatchObject({ state: 'givenUp', words: expect.stringContaining('No person is on call now') });
  });
});
