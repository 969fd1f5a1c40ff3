/** Files of closed cases as attachments at simulated PSA systems: once each, within bounds, by the setting of the target. */

import { maxFileBytes } from '@parapet/connectors/out/ticketing.files.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture } from './deliveries.fixture.ts';
import { type TicketWork, ticketWork } from './tickets.fixture.ts';

describe.each(['halo', 'connectwise', 'autotask'])('%s', (kind) => {
  let psa: PsaPeer;
  let t: DeliveriesFixture;
  let work: TicketWork;
  let size: number | undefined;
  let made = 0;
  beforeAll(async () => {
    psa = (await startPeer[kind]!()) as PsaPeer;
    const fileOf = async (organisationId: number, caseId: number, file: string) => {
      made++;
      return size === undefined ? Buffer.from(`${file} of case ${caseId} of ${organisationId}`) : Buffer.alloc(size, 'a');
    };
    t = await deliveriesFixture([psa], { fileOf });
    work = ticketWork(t);
  });
  afterAll(async () => {
    await t.close();
    await psa.close();
  });

  /** A case with its ticket. */
  const linked = async (attachment: 'none' | 'report' | 'archive') => {
    const { client, target } = await work.start(psa, { attachment });
    const caseId = await work.open(client);
    await work.send(target);
    return { client, target, caseId, ticket: psa.people.tickets.at(-1)! };
  };
  const filesFor = async (target: number) => (await t.rows(target)).filter(({ event }) => event === 'case.file');

  test.each([
    ['report', 'pdf'],
    ['archive', 'zip'],
  ] as const)('attaches the %s of a closing for users of the PSA, and keeps no copy', async (file, extension) => {
    const { client, target, caseId, ticket } = await linked(file);
    await work.setStatus(caseId, 'closed');
    await work.send(target);
    await work.poll(target);
    await work.send(target);
    const text = `${file} of case ${caseId} of ${client}`;
    expect(ticket.files).toEqual([expect.objectContaining({ bytes: Buffer.from(text), isPublic: false })]);
    expect(ticket.files[0]!.name).toMatch(new RegExp(`^case-${caseId}-[0-9a-f]{8}\\.${extension}$`));
    expect(ticket.status).toBe(psa.statuses.closed);
    expect(await filesFor(target)).toMatchObject([{ state: 'accepted', accepted_id: expect.stringContaining(' file ') }]);
    const stored = JSON.stringify(await t.rows(target));
    expect(stored).not.toContain(text);
    expect(stored).not.toContain(Buffer.from(text).toString('base64').slice(0, 16));
    expect(await work.notesOf(caseId)).toEqual([]);
  });

  test('attaches one file although the first answer is lost', async () => {
    const { target, caseId, ticket } = await linked('report');
    await work.setStatus(caseId, 'closed');
    await t.turn(target);
    const { state } = (await filesFor(target))[0]!;
    expect(state).toBe('accepted');
    await work.setStatus(caseId, 'investigating');
    await work.send(target);
    await work.setStatus(caseId, 'closed');
    // The token, ticket, note and status of the closing, and then the token, ticket and list of the file.
    const before = kind === 'halo' ? 7 : 5;
    psa.disturb(...Array.from({ length: before }, () => ({ kind: 'none' }) as const), { kind: 'reset' });
    await work.send(target);
    expect(ticket.files).toHaveLength(2);
    expect((await filesFor(target))[1]).toMatchObject({ state: 'failed', attempts: 1 });
    const count = made;
    await work.send(target);
    expect(ticket.files).toHaveLength(2);
    expect((await filesFor(target))[1]).toMatchObject({ state: 'accepted' });
    expect(made).toBe(count);
  });

  test('gives a file up that is too large, and sends what follows', async () => {
    const { target, caseId, ticket } = await linked('archive');
    size = maxFileBytes + 1;
    await work.setStatus(caseId, 'closed');
    await work.send(target);
    size = undefined;
    expect(ticket.files).toEqual([]);
    expect(await filesFor(target)).toMatchObject([
      { state: 'givenUp', words: 'The file is larger than 5 MB and was not attached.' },
    ]);
    await work.setStatus(caseId, 'investigating');
    await work.send(target);
    expect(ticket.status).toBe(psa.statuses.working);
  });

  test('attaches nothing without the setting, without a ticket, and once the case is open again', async () => {
    const off = await linked('none');
    await work.setStatus(off.caseId, 'closed');
    await work.send(off.target);
    expect(await filesFor(off.target)).toEqual([]);
    const { client, target } = await work.start(psa, { attachment: 'report' });
    await work.setStatus(await t.case(client), 'closed');
    expect(await filesFor(target)).toEqual([]);
    const reopened = await linked('report');
    await work.setStatus(reopened.caseId, 'closed');
    await work.setStatus(reopened.caseId, 'investigating');
    await work.send(reopened.target);
    expect(reopened.ticket.files).toEqual([]);
    expect(await filesFor(reopened.target)).toMatchObject([{ state: 'notNeeded' }]);
  });
});
