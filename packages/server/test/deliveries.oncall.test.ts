/** People on call: who it is at each moment, also where clocks change, and how an escalation calls one after the other. */
import type { OnCallShift } from '@parapet/contract/onCall.ts';
import { maxOverrides } from '@parapet/contract/rules/onCall.ts';
import { describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import * as store from '../src/features/deliveries/deliveries.oncall.store.ts';
import { insertMail } from '../src/features/outbox/outbox.store.ts';
import { deliveriesFixture, everything, leaseMs } from './deliveries.fixture.ts';
import { useFixture } from './use.ts';

const t = useFixture(
  () => deliveriesFixture([]),
  (fixture) => fixture.close(),
);

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

/** A case at a target of place 1, for which a person of another place is on call. */
async function calledAt(place: number) {
  const owner = await t.organisation({ isPartner: true });
  const userId = await person(owner, 'Olga');
  await save(owner, 'UTC', [{ userId, place, days: everyDay, from: 0, to: 1440 }]);
  const { id } = await t.target(owner, { kind: 'oncall', values: { place: '1' } });
  await t.rule(owner, { ...everything(id), events: ['case.opened'] });
  await t.queue(owner, { event: 'case.opened', objectId: await t.case(owner) });
  return { owner, id };
}

describe('an escalation', () => {
  test('calls the person on call, then the next, and ends with the acknowledgement', async () => {
    const note = 'Watch the mail server. '.repeat(80).trim();
    const followed = 'You are on call. The next level of escalation is called if the case is not acknowledged in time.';
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
    await system((tx) => store.insertNote(tx, { owner, authorId: anna, author: 'Anna Person', text: note, at: starts }));
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
    // The note comes with the first call of the shift.
    expect(t.mails.map(({ paragraphs }) => paragraphs)).toEqual([[followed, `Hand-over note: ${note}`], [followed]]);
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
    // No further level waits.
    expect(t.mails[2]!.paragraphs[0]).toBe('You are on call.');
    expect((await t.rows(next.id)).map(({ state, accepted_id: id }) => [state, id])).toEqual([
      ['accepted', `Cleo.${owner}@example.com`],
      ['notNeeded', null],
    ]);
  });

  test('waits for the next turn while no person is on call, and calls no person who left', async () => {
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
    expect((await t.rows(id))[0]).toMatchObject({ state: 'failed', words: expect.stringContaining('No person is on call now') });
    const next = await person(owner, 'Next');
    const starts = new Date(t.clock.now() + 2 * 60_000);
    const ends = new Date(starts.getTime() + 3_600_000);
    await system((tx) => store.insertOverride(tx, owner, { userId: next, place: 1, starts, ends }));
    t.forward(5 * 60_000 + leaseMs);
    await t.turn(id);
    expect(t.mails.slice(before).map(({ to }) => to)).toEqual([[`Next.${owner}@example.com`]]);
    expect((await t.rows(id))[0]).toMatchObject({ state: 'accepted' });
  });

  test('goes on to the next place in a gap', async () => {
    const { owner, id } = await calledAt(2);
    await t.turn(id);
    expect(t.mails.at(-1)!.to).toEqual([`Olga.${owner}@example.com`]);
  });

  test('fails in words without a mail server, and is sent when one is there', async () => {
    const { id } = await calledAt(1);
    t.outbox.isSending = false;
    await t.turn(id).finally(() => {
      t.outbox.isSending = true;
    });
    const [row] = await t.rows(id);
    expect(row).toMatchObject({ state: 'givenUp', words: expect.stringContaining('no mail server') });
    const stored = t.mails.at(-1)!.name;
    await system((tx) => tx.updateTable('deliveries').set({ state: 'queued' }).where('id', '=', row!.id).execute());
    t.forward(leaseMs);
    await t.turn(id);
    expect((await t.rows(id))[0]).toMatchObject({ state: 'accepted' });
    expect(t.mails.at(-1)!.name).not.toBe(stored);
  });

  test('ends as given up when its email does', async () => {
    const { owner, id } = await calledAt(1);
    await t.turn(id);
    const { name, to, subject } = t.mails.at(-1)!;
    const mail = { organisation_id: owner, kind: 'delivery.onCall', from_name: '', from_address: '', to_addresses: to, subject };
    const sent = { text: '', html: '', message_id: `<${name}@example.com>`, state: 'failed' as const, error: 'Mailbox unknown' };
    await system((tx) => insertMail(tx, { ...mail, ...sent } as Parameters<typeof insertMail>[1]));
    await system(store.endUnsent);
    expect((await t.rows(id))[0]).toMatchObject({ state: 'givenUp', words: expect.stringContaining('Mailbox unknown') });
  });

  test('counts the newest of too many overrides, and none that is over', async () => {
    const owner = await t.organisation({ isPartner: true });
    const [old, newest] = [await person(owner, 'Old'), await person(owner, 'Newest')];
    const now = t.clock.now();
    const span = (userId: number, from: number, to: number) => ({
      userId,
      place: 1,
      starts: new Date(now + from),
      ends: new Date(now + to),
    });
    await system(async (tx) => {
      for (let count = 0; count < maxOverrides; count++) await store.insertOverride(tx, owner, span(old, -60_000, 60_000));
      await store.insertOverride(tx, owner, span(newest, -60_000, 60_000));
      await store.insertOverride(tx, owner, span(old, -60_000, -1));
    });
    const overrides = await system((tx) => store.listOverrides(tx, owner, new Date(now)));
    expect(overrides).toHaveLength(maxOverrides);
    expect(overrides.at(-1)!.userId).toBe(newest);
  });
});
