/** Cases as tickets of each PSA, both ways, with responses that are lost, refused, endless or hostile. */
import { startPeer } from '@parapet/world/peers/all.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { type DeliveriesFixture, deliveriesFixture, everything } from './deliveries.fixture.ts';
import { type TicketWork, ticketWork } from './tickets.fixture.ts';

describe.each(['halo', 'connectwise', 'autotask'])('%s', (kind) => {
  let psa: PsaPeer;
  /** Of another partner. */
  let other: PsaPeer;
  let t: DeliveriesFixture;
  let work: TicketWork;
  beforeAll(async () => {
    psa = (await startPeer[kind]!()) as PsaPeer;
    other = (await startPeer[kind]!()) as PsaPeer;
    t = await deliveriesFixture([psa, other]);
    work = ticketWork(t);
  });
  afterAll(async () => {
    await t.close();
    await psa.close();
    await other.close();
  });

  const { length: none } = [];
  const open = () => psa.people.tickets.at(-1)!;
  const newest = async (target: number) => (await t.rows(target)).at(-1)!;
  /** A case with its ticket. */
  const opened = async () => {
    const place = await work.start(psa);
    const id = await work.open(place.client);
    await work.send(place.target);
    return { ...place, id, ticket: open() };
  };

  test('opens a ticket with severity, detections and link, and shows its id and page as confirmed', async () => {
    const { id, target, ticket, client } = await opened();
    expect(ticket).toMatchObject({ company: Number(psa.company), status: psa.statuses.open, priority: 2 });
    expect(`${ticket.title} ${ticket.reference}`).toContain(`${client}-case-${id}`);
    expect(ticket.text).toMatch(/Severity: High/);
    expect(ticket.text).toContain(`https://portal.example/apps/case/${id}`);
    expect(await newest(target)).toMatchObject({ state: 'accepted', accepted_id: String(ticket.id) });
    expect((await newest(target)).accepted_url).toContain(String(ticket.id));
    expect(await work.ticketOf(id)).toMatchObject({ ticket_id: String(ticket.id), status: String(psa.statuses.open) });
  });

  test('opens a ticket for each event without a case', async () => {
    const { partner, client, target } = await work.start(psa);
    await t.rule(partner, everything(target));
    const before = psa.people.tickets.length;
    for (const occasion of ['1', '2']) await t.queue(client, { event: 'digest.weekly', objectId: client, occasion, facts: {} });
    await work.send(target);
    expect((await t.rows(target)).map(({ state }) => state)).toEqual(['accepted', 'accepted']);
    expect(psa.people.tickets).toHaveLength(before + 2);
  });

  test('follows a change of status with a note and the mapped status', async () => {
    const { id, target, ticket } = await opened();
    await work.setStatus(id, 'investigating');
    await work.send(target);
    expect(ticket.status).toBe(psa.statuses.working);
    expect(ticket.notes).toHaveLength(1);
    expect(ticket.notes[0]!.text).toContain('Investigating (was Open)');
    await work.poll(target);
    expect(await work.notesOf(id)).toHaveLength(none);
    expect((await work.caseOf(id)).status).toBe('investigating');
  });

  test('opens one ticket and leaves one note although every first answer is lost', async () => {
    const place = await work.start(psa);
    const before = psa.people.tickets.length;
    const id = await work.open(place.client);
    for (let lost = 1; lost <= 5; lost++) {
      // The request number `lost` of this attempt is processed, its answer never arrives.
      psa.disturb(...Array.from({ length: lost - 1 }, () => ({ kind: 'none' as const })), { kind: 'reset' });
      await work.send(place.target);
    }
    await work.send(place.target);
    expect(psa.people.tickets).toHaveLength(before + 1);
    await work.setStatus(id, 'investigating');
    for (let lost = 1; lost <= 6; lost++) {
      psa.disturb(...Array.from({ length: lost - 1 }, () => ({ kind: 'none' as const })), { kind: 'reset' });
      await work.send(place.target);
      await work.poll(place.target);
    }
    // Disturbances that were not reached are spent.
    for (let round = 0; round < 3; round++) await work.send(place.target);
    await work.poll(place.target);
    expect(open().notes).toHaveLength(1);
    expect(open().status).toBe(psa.statuses.working);
    expect(await work.notesOf(id)).toHaveLength(none);
    expect(await newest(place.target)).toMatchObject({ state: 'accepted', words: null });
  });

  test('takes over a comment once, with its author and source, and no note of its own', async () => {
    const { id, target, ticket } = await opened();
    await work.setStatus(id, 'investigating');
    await work.send(target);
    psa.people.comment(ticket.id, 'Robin Technician', 'Called the user.\nIt was the <b>admin</b>.');
    psa.people.comment(ticket.id, 'Robin Technician', 'Not for the customer.', true);
    await work.poll(target);
    await work.poll(target);
    const notes = await work.notesOf(id);
    expect((await work.setupRow(target)).error).toBeNull();
    expect(notes.map(({ author_name, is_internal, text }) => [author_name, is_internal, text])).toEqual([
      ['Robin Technician', false, expect.stringContaining('Called the user.')],
      ['Robin Technician', true, 'Not for the customer.'],
    ]);
    expect(notes[0]).toMatchObject({ author_user_id: null, source: expect.stringMatching(/HaloPSA|ConnectWise|Autotask/) });
    // Nothing goes back.
    await work.send(target);
    expect(ticket.notes).toHaveLength(3);
  });

  test('closes and reopens the case with the ticket, and sends nothing back', async () => {
    const { id, target, ticket } = await opened();
    psa.people.setStatus(ticket.id, psa.statuses.closed);
    await work.poll(target);
    expect(await work.caseOf(id)).toMatchObject({ status: 'closed', resolution: 'notStated' });
    psa.people.setStatus(ticket.id, psa.statuses.working);
    await work.poll(target);
    expect((await work.caseOf(id)).status).toBe('investigating');
    await work.send(target);
    expect(ticket.notes).toHaveLength(none);
    expect(await t.rows(target)).toHaveLength(1);
  });

  test('keeps a case that the rules keep open, with a note and a conflict, until the portal closes it', async () => {
    const place = await work.start(psa);
    const id = await work.open(place.client, { criticality: 5, contained_at: null });
    await work.send(place.target);
    psa.people.setStatus(open().id, psa.statuses.closed);
    await work.poll(place.target);
    await work.poll(place.target);
    expect((await work.caseOf(id)).status).toBe('open');
    expect(await work.ticketOf(id)).toMatchObject({
      conflict: expect.stringMatching(/The case stays "Open": Case \d+ is critical/),
    });
    expect(await work.notesOf(id)).toEqual([expect.objectContaining({ is_internal: true, author_user_id: null })]);
    await scoped(t.db, 'system', (tx) => work.caseOf(id).then((record) => work.transitions.reopen(tx, undefined, record)));
    await work.send(place.target);
    expect(open().status).toBe(psa.statuses.working);
    expect(await work.ticketOf(id)).toMatchObject({ conflict: null });
  });

  test('lets the case win over a change that was made at the same time, and shows it', async () => {
    const { id, target, ticket } = await opened();
    await work.setStatus(id, 'investigating');
    psa.people.setStatus(ticket.id, psa.statuses.closed);
    await work.poll(target);
    await work.send(target);
    await work.poll(target);
    expect((await work.caseOf(id)).status).toBe('investigating');
    expect(ticket.status).toBe(psa.statuses.working);
    expect(await work.ticketOf(id)).toMatchObject({ conflict: expect.stringContaining('The ticket follows the case') });
  });

  test('shows a deleted ticket, and gives up what would follow', async () => {
    const { id, target, ticket } = await opened();
    psa.people.remove(ticket.id);
    t.forward(16 * 60_000);
    await work.poll(target);
    expect((await work.ticketOf(id))?.deleted_at).not.toBeNull();
    await work.setStatus(id, 'investigating');
    await work.send(target);
    expect(await newest(target)).toMatchObject({ state: 'givenUp', words: expect.stringContaining('was deleted') });
  });

  test('names a missing company, a missing field of the setup, and one that the PSA requires since', async () => {
    const place = await work.start(psa, { required: [{ id: 'x', label: 'Contract reference' }] });
    await work.open(place.client);
    await work.send(place.target);
    expect(await newest(place.target)).toMatchObject({
      state: 'givenUp',
      words: expect.stringContaining('"Contract reference"'),
    });
    const other = await t.organisation({ parentId: place.partner, name: 'Reef Unmapped' });
    await work.open(other);
    await work.send(place.target);
    expect(await newest(place.target)).toMatchObject({ words: expect.stringContaining('Reef Unmapped has no company') });
    const later = await work.start(psa);
    psa.people.require(true);
    await work.open(later.client);
    await work.send(later.target);
    psa.people.require(false);
    expect(await newest(later.target)).toMatchObject({ state: 'givenUp', words: expect.stringContaining('Contract reference') });
  });

  test('waits as long as the PSA requires, in both directions', async () => {
    const { id, target } = await opened();
    await work.setStatus(id, 'investigating');
    psa.disturb({ kind: 'throttle', seconds: 600 });
    await work.send(target);
    const row = await newest(target);
    expect(row.state).toBe('failed');
    expect(row.next_at.getTime() - t.clock.now()).toBeGreaterThanOrEqual(600_000);
    psa.disturb({ kind: 'throttle', seconds: 900 });
    await work.poll(target);
    const setup = await work.setupRow(target);
    expect(setup.next_at.getTime() - t.clock.now()).toBeGreaterThanOrEqual(900_000);
    expect(setup.error).toMatch(/429/);
    await work.poll(target);
    expect(await work.setupRow(target)).toMatchObject({ error: null, failures: 0 });
  });

  test('survives answers without an end, broken ones and outages, and reads everything afterwards', async () => {
    const { id, target, ticket } = await opened();
    psa.people.comment(ticket.id, 'Robin', 'Seen.');
    for (const disturbance of [
      { kind: 'endless' },
      { kind: 'broken' },
      { kind: 'outage' },
      { kind: 'status', status: 401 },
    ] as const) {
      psa.disturb({ kind: 'none' }, disturbance);
      await work.poll(target);
      // An answer about one ticket concerns that ticket alone.
      expect((await work.setupRow(target)).error ?? (await work.ticketOf(id))?.conflict).toBeTruthy();
    }
    await work.poll(target);
    expect(await work.ticketOf(id)).toMatchObject({ conflict: null });
    expect(await work.notesOf(id)).toHaveLength(1);
  });

  test('keeps hostile text as text, bounded', async () => {
    const place = await work.start(psa);
    const title = `<script>alert(1)</script> \u202e{{7*7}} ${'x'.repeat(900)}`;
    const id = await work.open(place.client, { title });
    await work.send(place.target);
    expect(open().title.length).toBeLessThanOrEqual(255);
    expect(open().title).not.toContain('\u202e');
    psa.people.comment(open().id, 'A\u0000\u202eB', `\u0000${'y'.repeat(30_000)}`);
    await work.poll(place.target);
    const [note] = await work.notesOf(id);
    expect(note!.text.length).toBe(10_000);
    expect(note!.text).not.toContain('\u0000');
  });

  test('keeps the PSA systems of two partners apart', async () => {
    const mine = await opened();
    const theirs = await work.start(other);
    const foreign = await work.open(theirs.client);
    await work.send(theirs.target);
    const [far] = other.people.tickets;
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('case_tickets')
        .set({ ticket_id: String(far!.id) })
        .where('case_id', '=', mine.id)
        .execute(),
    );
    // Both partners have a ticket of this id, each at its own PSA.
    other.people.comment(far!.id, 'Stranger', 'Foreign text');
    other.people.setStatus(far!.id, other.statuses.closed);
    await work.poll(theirs.target);
    expect(await work.notesOf(mine.id)).toHaveLength(none);
    expect((await work.caseOf(mine.id)).status).toBe('open');
    expect((await work.caseOf(foreign)).status).toBe('closed');
  });

  test('keeps credentials out of what is stored', async () => {
    const { id, target } = await opened();
    await work.setStatus(id, 'investigating');
    await work.send(target);
    const rows = await t.rows(target);
    const stored = JSON.stringify([rows, await t.targetRow(target).then(({ settings, error }) => [settings, error])]);
    for (const secret of Object.values(psa.values).filter((value) => value.includes('demoDemo')))
      expect(stored).not.toContain(secret);
    expect(rows.at(-1)!.request).not.toBeNull();
  });
});
