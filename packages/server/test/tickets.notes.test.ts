/** Notes of people between a case and its ticket, at simulated PSA systems: no echo, no loop, and no internal note leaves. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { requeue } from '../src/features/deliveries/deliveries.store.ts';
import { type DeliveriesFixture, deliveriesFixture } from './deliveries.fixture.ts';
import { type TicketWork, ticketWork } from './tickets.fixture.ts';

const secret = 'INTERNAL-ONLY-7731';

describe.each(['halo', 'connectwise', 'autotask'])('%s', (kind) => {
  let psa: PsaPeer;
  let t: DeliveriesFixture;
  let work: TicketWork;
  beforeAll(async () => {
    psa = (await startPeer[kind]!()) as PsaPeer;
    t = await deliveriesFixture([psa]);
    work = ticketWork(t);
  });
  afterAll(async () => {
    await t.close();
    await psa.close();
  });

  /** A case whose ticket is open. */
  const linked = async () => {
    const { client, target } = await work.start(psa);
    const caseId = await work.open(client);
    await work.send(target);
    return { client, target, caseId, ticket: psa.people.tickets.at(-1)! };
  };
  const notesFor = async (target: number) => (await t.rows(target)).filter(({ event }) => event === 'case.note');

  test('takes a note to the ticket once, with its author, and not back', async () => {
    const { target, caseId, ticket } = await linked();
    await work.writeNote(caseId, { text: 'Call back\nbefore <b>noon</b>' });
    await work.send(target);
    await work.poll(target);
    await work.poll(target);
    expect(ticket.notes).toHaveLength(1);
    expect(ticket.notes[0]!.text).toMatch(/^Note by \w\. Writer: #\d+ /);
    expect(ticket.notes[0]!.text).toContain('Call back\nbefore <b>noon</b>');
    expect(await work.notesOf(caseId)).toHaveLength(1);
    expect(await notesFor(target)).toMatchObject([{ state: 'accepted' }]);
  });

  test('sends no internal note, nor one that became internal before it was sent', async () => {
    const { target, caseId, ticket } = await linked();
    await work.writeNote(caseId, { text: secret, isInternal: true });
    const id = await work.writeNote(caseId, { text: `${secret} by mistake` });
    await work.writeNote(caseId, { id, text: `${secret} by mistake`, isInternal: true });
    await work.send(target);
    await work.poll(target);
    expect(ticket.notes).toEqual([]);
    expect(await notesFor(target)).toMatchObject([{ state: 'notNeeded', message: null }]);
    expect(JSON.stringify(psa.received)).not.toContain(secret);
    expect(JSON.stringify(await t.rows(target))).not.toContain(secret);
  });

  test.each(['retry', 'replay'])('sends no note that became internal before a %s', async (way) => {
    const { target, caseId, ticket } = await linked();
    const id = await work.writeNote(caseId, { text: `${secret} before an outage` });
    psa.disturb({ kind: 'outage' });
    await work.send(target);
    const [failed] = await notesFor(target);
    expect(failed).toMatchObject({ state: 'failed', attempts: 1 });
    if (way === 'replay') {
      t.forward(73 * hourMs);
      await t.turn(target);
      expect(await notesFor(target)).toMatchObject([{ state: 'givenUp' }]);
      const [now, until] = [t.clock.now(), t.clock.now() + hourMs * 72].map((at) => new Date(at));
      await scoped(t.db, 'system', (tx) => requeue(tx, 'system', target, failed!.id, { now: now!, until: until! }));
    }
    await work.writeNote(caseId, { id, text: `${secret} before an outage`, isInternal: true });
    await work.send(target);
    await work.send(target);
    expect(await notesFor(target)).toMatchObject([{ state: 'notNeeded', message: null, request: null }]);
    expect(ticket.notes).toEqual([]);
    expect(JSON.stringify(psa.received)).not.toContain(secret);
    expect(JSON.stringify(await t.rows(target))).not.toContain(secret);
  });

  test('sends a note that was shared later, and its change as another note', async () => {
    const { target, caseId, ticket } = await linked();
    const id = await work.writeNote(caseId, { text: 'Draft', isInternal: true });
    await work.writeNote(caseId, { id, text: 'Shared' });
    await work.send(target);
    t.forward(1_000);
    await work.writeNote(caseId, { id, text: 'Shared and changed' });
    await work.send(target);
    expect(ticket.notes.map(({ text }) => /Note: (.*)/.exec(text)?.[1])).toEqual(['Shared', 'Shared and changed']);
  });

  test('leaves one note although the first answer is lost', async () => {
    const { target, caseId, ticket } = await linked();
    await work.writeNote(caseId, { text: 'Once' });
    psa.disturb(...Array.from({ length: kind === 'halo' ? 2 : 1 }, () => ({ kind: 'none' }) as const), { kind: 'reset' });
    await work.send(target);
    await work.poll(target);
    await work.send(target);
    await work.poll(target);
    expect(ticket.notes.filter(({ text }) => text.includes('Once'))).toHaveLength(1);
    expect(await work.notesOf(caseId)).toHaveLength(1);
    expect(await notesFor(target)).toMatchObject([{ state: 'accepted' }]);
  });

  test('takes a comment over without sending it back', async () => {
    const { target, caseId, ticket } = await linked();
    psa.people.comment(ticket.id, 'Robin', 'The user confirmed it');
    await work.poll(target);
    await work.send(target);
    await work.poll(target);
    expect((await work.notesOf(caseId)).map(({ text }) => text)).toEqual(['The user confirmed it']);
    expect(ticket.notes).toHaveLength(1);
    expect(await notesFor(target)).toEqual([]);
  });

  test('opens the ticket before a note that was written at once', async () => {
    const { client, target } = await work.start(psa);
    const caseId = await work.open(client);
    await work.writeNote(caseId, { text: 'First words' });
    await work.send(target);
    expect(psa.people.tickets.at(-1)!.notes.map(({ text }) => text)).toEqual([expect.stringContaining('First words')]);
  });

  test('sends nothing to a target without a ticket of the case, and to a deleted ticket', async () => {
    const { client, target } = await work.start(psa);
    const caseId = await t.case(client);
    await work.writeNote(caseId, { text: 'Nowhere' });
    expect(await notesFor(target)).toEqual([]);
    const other = await linked();
    psa.people.remove(other.ticket.id);
    await work.writeNote(other.caseId, { text: 'Too late' });
    await work.send(other.target);
    await work.writeNote(other.caseId, { text: 'Later' });
    expect(await notesFor(other.target)).toMatchObject([{ state: 'givenUp' }]);
  });

  test('reads the newest of more than 500 notes', async () => {
    const { target, caseId, ticket } = await linked();
    const before = await work.notesOf(caseId);
    for (let number = 1; number <= 1_203; number++)
      psa.people.comment(ticket.id, 'Robin', number > 1_200 ? `Comment ${number}` : 'Robin was here', true);
    await work.poll(target);
    const texts = (await work.notesOf(caseId)).slice(before.length).map(({ text }) => text);
    expect(texts.slice(-3)).toEqual(['Comment 1201', 'Comment 1202', 'Comment 1203']);
  });
});
