/** Readings of a PSA that are slow, refused, interrupted or many. */
import { targetKindOf } from '@parapet/connectors/out/all.ts';
import type { OutRequest, TargetKind } from '@parapet/connectors/out/target.ts';
import { TicketFailure } from '@parapet/connectors/out/tickets.calls.ts';
import type { RemoteTicket, TicketApi } from '@parapet/connectors/out/tickets.ts';
import { minuteMs, secondMs } from '@parapet/contract/rules/duration.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { listUnchecked, saveTicket } from '../src/features/deliveries/deliveries.tickets.store.ts';
import { type DeliveriesFixture, deliveriesFixture, everything } from './deliveries.fixture.ts';
import { type TicketWork, ticketWork } from './tickets.fixture.ts';

test.each([
  ['halo', { actions: [{ id: 5, who: 'Robin', note: 'Seen.' }] }],
  ['connectwise', [{ id: 5, createdBy: 'Robin', text: 'Seen.' }]],
])('keeps a note of %s internal whose visibility is missing', async (kind, body) => {
  const values = { site: 'psa.example' };
  const token = { access_token: 'x' };
  const send = async ({ url }: OutRequest) => ({
    status: 200,
    headers: new Headers(),
    text: JSON.stringify(url.endsWith('/auth/token') ? token : body),
  });
  const notes = await targetKindOf(kind)!.tickets!(values, send).notes('7');
  expect(notes).toEqual([{ id: '5', author: 'Robin', text: 'Seen.', isInternal: true }]);
});

describe.each(['halo', 'connectwise'])('%s', (kind) => {
  let psa: PsaPeer;
  let t: DeliveriesFixture;
  let work: TicketWork;
  /** Happens before the notes of a ticket are read. */
  let onNotes: (id: string) => Promise<void> | void = () => {};
  /** Replaces the changes that the PSA lists. */
  let changed: TicketApi['changed'] | undefined;
  beforeAll(async () => {
    psa = (await startPeer[kind]!()) as PsaPeer;
    const kindOf = (id: string): TargetKind | undefined => {
      const found = targetKindOf(id);
      if (!found?.tickets) return found;
      const tickets: TargetKind['tickets'] = (values, send) => {
        const api = found.tickets!(values, send);
        const notes: TicketApi['notes'] = async (ticket) => {
          await onNotes(ticket);
          return api.notes(ticket);
        };
        return { ...api, notes, ...(changed && { changed }) };
      };
      return { ...found, tickets };
    };
    t = await deliveriesFixture([psa], { kindOf });
    work = ticketWork(t);
  });
  afterEach(() => {
    onNotes = () => {};
    changed = undefined;
  });
  afterAll(async () => {
    await t.close();
    await psa.close();
  });

  /** Cases with their tickets, each read once. */
  const opened = async (count: number) => {
    const place = await work.start(psa);
    const before = psa.people.tickets.length;
    const cases: number[] = [];
    for (let index = 0; index < count; index++) cases.push(await work.open(place.client));
    await work.send(place.target);
    await work.poll(place.target);
    return { ...place, cases, tickets: psa.people.tickets.slice(before) };
  };
  const counts = (cases: readonly number[]) => Promise.all(cases.map(async (id) => (await work.notesOf(id)).length));
  const commentAll = (tickets: readonly { id: number }[]) => {
    for (const { id } of tickets) psa.people.comment(id, 'Robin', 'Seen.');
  };

  test('recognises the text of a ticket with markup and entities', async () => {
    const { client, target } = await work.start(psa);
    const id = await work.open(client, { title: 'Seen &lt;b&gt; &amp;lt;i&amp;gt; <script>' });
    await work.send(target);
    await work.poll(target);
    expect(await work.notesOf(id)).toEqual([]);
  });

  test('goes on where the time ran out', async () => {
    const { target, cases, tickets } = await opened(4);
    commentAll(tickets);
    let reads = 0;
    onNotes = () => {
      reads++;
      t.forward(20 * secondMs);
    };
    for (let poll = 1; poll <= 3; poll++) await work.poll(target);
    expect(await counts(cases)).toEqual([1, 1, 1, 1]);
    // Each once, so that many are read in the end.
    expect(reads).toBe(4);
  });

  test('reads tickets on their own although the time ran out', async () => {
    const { target, cases, tickets } = await opened(4);
    t.forward(16 * minuteMs);
    psa.people.remove(tickets[3]!.id);
    commentAll(tickets.slice(0, 3));
    onNotes = () => t.forward(20 * secondMs);
    await work.poll(target);
    await work.poll(target);
    expect((await work.ticketOf(cases[3]!))?.deleted_at).not.toBeNull();
  });

  test('cuts a window with more pages than are read', async () => {
    const { target } = await opened(1);
    t.forward(60 * minuteMs);
    const from = (await work.setupRow(target)).read_until.getTime();
    const row: RemoteTicket = { id: '1', url: '', status: '', changedAt: from };
    changed = async () => ({ tickets: [row], isLast: false });
    await work.poll(target);
    expect((await work.setupRow(target)).read_until.getTime()).toBeGreaterThan(from);
  });

  test('reads the others beside one that the PSA refuses, and shows it there until it is read', async () => {
    const { target, cases, tickets } = await opened(3);
    commentAll(tickets);
    const refused = String(tickets[0]!.id);
    onNotes = (id) => {
      if (id === refused) throw new TicketFailure({ kind: 'retry', words: 'The PSA returned 403.' }, 403);
    };
    await work.poll(target);
    expect(await counts(cases)).toEqual([0, 1, 1]);
    expect((await work.setupRow(target)).error).toBeNull();
    expect(await work.ticketOf(cases[0]!)).toMatchObject({ conflict: 'The ticket can’t be read: The PSA returned 403.' });
    onNotes = () => {};
    await work.poll(target);
    expect(await counts(cases)).toEqual([1, 1, 1]);
    expect(await work.ticketOf(cases[0]!)).toMatchObject({ conflict: null, conflict_at: null });
  });

  test.each([401, 429, 500])('stops at status %i, which concerns the whole PSA', async (status) => {
    const { target, cases, tickets } = await opened(1);
    commentAll(tickets);
    onNotes = () => {
      throw new TicketFailure({ kind: 'retry', words: `The PSA returned ${status}.` }, status);
    };
    await work.poll(target);
    expect((await work.setupRow(target)).error).toBe(`The PSA returned ${status}.`);
    expect((await work.ticketOf(cases[0]!))?.conflict).toBeNull();
  });

  test('reads tickets on their own beside many of a client that was deactivated', async () => {
    const { partner, target, cases, tickets } = await opened(1);
    const gone = await t.organisation({ parentId: partner });
    const place = { organisationId: partner, targetId: target, clientId: gone, eventAt: new Date() };
    for (let index = 0; index < 12; index++) {
      const caseId = await t.case(gone);
      const ticket = { id: `9${index}`, url: '', status: '' };
      await scoped(t.db, 'system', (tx) => saveTicket(tx, { ...place, caseId }, ticket, new Date()));
    }
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', '=', gone).execute(),
    );
    psa.people.remove(tickets[0]!.id);
    t.forward(16 * minuteMs);
    await work.poll(target);
    expect((await work.ticketOf(cases[0]!))?.deleted_at).not.toBeNull();
  });

  test('reads more tickets on their own the more are linked, within a bound', async () => {
    const { partner, client, target } = await work.start(psa);
    const place = { organisationId: partner, targetId: target, clientId: client, eventAt: new Date() };
    const numberOf = async () => (await scoped(t.db, 'system', (tx) => listUnchecked(tx, target, new Date()))).length;
    const link = async (from: number, to: number) => {
      for (let index = from; index < to; index++) {
        const caseId = await t.case(client);
        const ticket = { id: `8${index}`, url: '', status: '' };
        await scoped(t.db, 'system', (tx) => saveTicket(tx, { ...place, caseId }, ticket, new Date()));
      }
    };
    await link(0, 30);
    expect(await numberOf()).toBe(10);
    await link(30, 300);
    // Within ten polls, so within a quarter of an hour.
    expect(await numberOf()).toBe(31);
  });

  test('applies changes in quiet time', async () => {
    const { target, cases, tickets } = await opened(1);
    await t.update(target, "quiet_zone = 'UTC', quiet_from = 0, quiet_to = 1440");
    commentAll(tickets);
    await work.poll(target);
    expect(await counts(cases)).toEqual([1]);
  });

  test('stops when the target is paused, and reads the same changes later', async () => {
    const { target, cases, tickets } = await opened(2);
    const before = await work.setupRow(target);
    commentAll(tickets);
    let reads = 0;
    onNotes = async () => {
      reads++;
      await t.update(target, 'is_paused = true');
    };
    await work.poll(target);
    expect(reads).toBe(1);
    expect(await work.setupRow(target)).toEqual(before);
    onNotes = () => {};
    await t.update(target, 'is_paused = false');
    await work.poll(target);
    expect(await counts(cases)).toEqual([1, 1]);
  });

  test('names the provider’s staff SOC Analyst', async () => {
    const provider = { id: 1, name: 'Provider', is_partner: true, parent_id: null, is_mfa_compulsory: false };
    await scoped(t.db, 'system', (tx) => tx.insertInto('organisations').values(provider).execute());
    const client = await t.organisation({ parentId: await t.organisation({ isPartner: true }) });
    const { id: target } = await t.target(1, psa);
    await t.rule(1, { ...everything(target), clientId: client, events: ['case.opened'] });
    await work.setUp({ organisationId: 1, targetId: target }, psa, client);
    const id = await work.open(client);
    await work.send(target);
    psa.people.comment(psa.people.tickets.at(-1)!.id, 'Robin Realname', 'Seen.');
    await work.poll(target);
    expect((await work.notesOf(id)).map(({ author_name, text }) => [author_name, text])).toEqual([['SOC Analyst', 'Seen.']]);
  });
});
