/** Time entries of closings at simulated PSA systems: once each, with the handling time only, and nothing of internal notes. */
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture } from './deliveries.fixture.ts';
import { type TicketWork, ticketWork } from './tickets.fixture.ts';

const secret = 'INTERNAL-ONLY-4419';
const setups = {
  connectwise: { type: '3', role: '12', person: '' },
  autotask: { type: '29682800', role: '29682834', person: '29000' },
  halo: { type: '2', role: '', person: '' },
};
/** Requests before the one that enters the time: token, ticket, note and the list of entries. */
const requestsBefore = { connectwise: 3, autotask: 3, halo: 4 };

describe.each(['halo', 'connectwise', 'autotask'] as const)('%s', (kind) => {
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

  const time = { ...setups[kind], isBillable: true, maxMinutes: 240 };
  /** A case with a ticket that people worked on for some minutes. */
  const worked = async (minutes: number, over: Parameters<TicketWork['start']>[1] = { time }) => {
    const { client, target } = await work.start(psa, over);
    const caseId = await work.open(client);
    await work.send(target);
    await work.setStatus(caseId, 'investigating');
    t.forward(minutes * minuteMs);
    const ticket = psa.people.tickets.at(-1)!;
    return { target, caseId, ticket };
  };
  const newest = async (target: number) => (await t.rows(target)).at(-1)!;

  test('enters the handling time of a closing once, with the chosen type, role and person', async () => {
    const { target, caseId, ticket } = await worked(45);
    await work.setStatus(caseId, 'closed');
    await work.send(target);
    await work.poll(target);
    await work.poll(target);
    expect(ticket.times).toMatchObject([
      {
        hours: 0.75,
        type: Number(time.type),
        role: time.role === '' ? null : Number(time.role),
        person: time.person === '' ? null : Number(time.person),
        isBillable: true,
      },
    ]);
    expect(ticket.times[0]!.text).toMatch(new RegExp(`^Handling time of case #${caseId}: .+\nRef: `));
    expect(ticket.status).toBe(psa.statuses.closed);
    expect(await work.notesOf(caseId)).toEqual([]);
    expect(await newest(target)).toMatchObject({ state: 'accepted' });
  });

  test('enters the time of each closing, of a reopened case that since then', async () => {
    const { target, caseId, ticket } = await worked(30);
    await work.setStatus(caseId, 'closed');
    t.forward(600 * minuteMs);
    await work.setStatus(caseId, 'investigating');
    t.forward(12 * minuteMs);
    await work.setStatus(caseId, 'closed');
    await work.send(target);
    expect(ticket.times.map(({ hours }) => hours)).toEqual([0.5, 0.2]);
  });

  test('counts no wait for the client, and no more than the administrator permits', async () => {
    const waited = await worked(30);
    await work.setStatus(waited.caseId, 'escalated');
    t.forward(600 * minuteMs);
    await work.setStatus(waited.caseId, 'investigating');
    await work.setStatus(waited.caseId, 'closed');
    await work.send(waited.target);
    expect(waited.ticket.times.map(({ hours }) => hours)).toEqual([0.5]);
    const long = await worked(5_000);
    await work.setStatus(long.caseId, 'closed');
    await work.send(long.target);
    expect(long.ticket.times.map(({ hours }) => hours)).toEqual([4]);
  });

  test('leaves one entry although the first answer is lost, and after a replay', async () => {
    const { target, caseId, ticket } = await worked(45);
    await work.send(target);
    await work.setStatus(caseId, 'closed');
    psa.disturb(...Array.from({ length: requestsBefore[kind] }, () => ({ kind: 'none' }) as const), { kind: 'reset' });
    await work.send(target);
    expect(ticket.times).toHaveLength(1);
    expect(await newest(target)).toMatchObject({ state: 'failed' });
    await work.poll(target);
    await work.send(target);
    await work.poll(target);
    expect(await newest(target)).toMatchObject({ state: 'accepted' });
    expect(ticket.times).toHaveLength(1);
    expect(await work.notesOf(caseId)).toEqual([]);
    expect(ticket.status).toBe(psa.statuses.closed);
  });

  test('enters nothing without the setting, without work, and for other changes', async () => {
    const off = await worked(45, {});
    await work.setStatus(off.caseId, 'closed');
    await work.send(off.target);
    expect(off.ticket.times).toEqual([]);
    const { client, target } = await work.start(psa, { time });
    const caseId = await work.open(client);
    await work.send(target);
    t.forward(45 * minuteMs);
    await work.setStatus(caseId, 'closed');
    await work.send(target);
    expect(psa.people.tickets.at(-1)!.times).toEqual([]);
    const open = await worked(45);
    await work.setStatus(open.caseId, 'malicious');
    await work.send(open.target);
    expect(open.ticket.times).toEqual([]);
  });

  test('names nothing of internal notes', async () => {
    const { target, caseId, ticket } = await worked(45);
    await work.writeNote(caseId, { text: secret, isInternal: true });
    await work.setStatus(caseId, 'closed');
    await work.send(target);
    expect(ticket.times).toHaveLength(1);
    expect(JSON.stringify(psa.received)).not.toContain(secret);
    expect(JSON.stringify(await t.rows(target))).not.toContain(secret);
  });

  test('closes the ticket although the PSA refuses the entry, and shows its reason', async () => {
    const wrong = { ...time, type: '999' };
    const { target, caseId, ticket } = await worked(45, { time: wrong });
    await work.setStatus(caseId, 'closed');
    await work.send(target);
    expect(ticket).toMatchObject({ times: [], status: psa.statuses.closed });
    expect((await work.ticketOf(caseId))!.conflict).toMatch(/^No time was entered: .+ (not valid|not found|does not exist)/);
  });
});
