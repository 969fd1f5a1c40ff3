/** Callbacks of simulated PSA systems: a genuine one has its ticket read, and nothing else does. */
import { targetKindOf } from '@parapet/connectors/out/all.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import { psaCallback } from '@parapet/world/peers/psa.callbacks.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { createSend } from '../src/features/deliveries/deliveries.http.ts';
import { dueNow } from '../src/features/deliveries/deliveries.tickets.people.ts';
import { type DeliveriesFixture, deliveriesFixture } from './deliveries.fixture.ts';
import { callbackWork, type TicketWork, ticketWork } from './tickets.fixture.ts';

const kinds = ['halo', 'connectwise', 'autotask'] as const;
const peers = new Map<string, PsaPeer>();
let t: DeliveriesFixture;
let work: TicketWork;
let callbacks: ReturnType<typeof callbackWork>;
beforeAll(async () => {
  for (const kind of kinds) peers.set(kind, (await startPeer[kind]!()) as PsaPeer);
  t = await deliveriesFixture([...peers.values()]);
  work = ticketWork(t);
  callbacks = callbackWork(t);
});
afterAll(async () => {
  await t.close();
  for (const peer of peers.values()) await peer.close();
});

/** A case with its ticket at a target that is not due, and whose lists show no change: only a callback has it read. */
async function linked(psa: PsaPeer) {
  const { partner, client, target } = await work.start(psa);
  await callbacks.open({ organisationId: partner, targetId: target });
  const id = await work.open(client);
  await work.send(target);
  await work.poll(target);
  const later = new Date(t.clock.now() + 86_400_000);
  await scoped(t.db, 'system', (tx) =>
    tx.updateTable('ticket_setups').set({ next_at: later, read_until: later }).where('target_id', '=', target).execute(),
  );
  const ticket = Number((await work.ticketOf(id))!.ticket_id);
  const secretOf = (secret: string | undefined): string => secret ?? (psa.kind === 'connectwise' ? '' : callbacks.secret);
  const made = (secret?: string, about = ticket) =>
    psaCallback[psa.kind]!({ site: psa.url, ticket: about, secret: secretOf(secret) });
  return { id, target, ticket, made };
}

describe.each(kinds)('a callback of %s', (kind) => {
  test('causes a reading of its ticket at once, and the ticket decides', async () => {
    const psa = peers.get(kind)!;
    const { id, target, ticket, made } = await linked(psa);
    // It claims that the ticket was closed.
    expect(await callbacks.send(target, made())).toBe(200);
    await work.runDue(target);
    expect(await work.caseOf(id)).toMatchObject({ status: 'open' });
    psa.people.setStatus(ticket, psa.statuses.working);
    psa.people.comment(ticket, 'Robin', 'Looking at it');
    for (let count = 0; count < 3; count++) expect(await callbacks.send(target, made())).toBe(200);
    await work.runDue(target);
    await work.runDue(target);
    expect(await work.caseOf(id)).toMatchObject({ status: 'investigating' });
    expect((await work.notesOf(id)).map(({ text }) => text)).toEqual(['Looking at it']);
    await work.send(target);
    expect(psa.people.tickets.find((each) => each.id === ticket)!.notes.filter(({ author }) => author === 'Portal')).toEqual([]);
  });

  test('counts for nothing when it is forged, changed, unsigned, or sent to another address', async () => {
    const psa = peers.get(kind)!;
    const { id, target, ticket, made } = await linked(psa);
    psa.people.setStatus(ticket, psa.statuses.working);
    const { headers, body } = made();
    expect(await callbacks.send(target, made('another secret'))).toBe(401);
    expect(await callbacks.send(target, { headers: {}, body })).toBe(401);
    if (kind !== 'halo') expect(await callbacks.send(target, { headers, body: body.replace('}', ' }') })).toBe(401);
    expect(await callbacks.send(target + 1_000, { headers, body })).toBe(404);
    expect(await callbacks.send(target, made(undefined, 999_999))).toBe(200);
    await work.runDue(target);
    expect(await work.caseOf(id)).toMatchObject({ status: 'open' });
  });

  test('finds a deleted ticket', async () => {
    const psa = peers.get(kind)!;
    const { id, target, ticket, made } = await linked(psa);
    psa.people.remove(ticket);
    await callbacks.send(target, made());
    await work.runDue(target);
    expect((await work.ticketOf(id))!.deleted_at).not.toBeNull();
  });
});

describe('callbacks of ConnectWise', () => {
  test('count with the key of the target’s own site only', async () => {
    const psa = peers.get('connectwise')!;
    const { target, ticket } = await linked(psa);
    const requests = psa.requests();
    for (const site of ['https://evil.example', peers.get('halo')!.url, 'not an address'])
      expect(await callbacks.send(target, psaCallback.connectwise!({ site, ticket, secret: '' }))).toBe(401);
    expect(psa.requests()).toBe(requests);
  });

  test('register once, also where an older one is inactive or on a later page, and end when switched off', async () => {
    const psa = peers.get('connectwise')!;
    const { send } = createSend(t.deps.outbound, []);
    const { subscribe, unsubscribe } = targetKindOf('connectwise')!.callbacks!;
    const address = 'https://portal.example/callback/last';
    for (let count = 0; count < 250; count++)
      await subscribe!(psa.values, send, `https://portal.example/callback/other-${count}`);
    const stateOf = async () => {
      const { company, publicKey, privateKey, clientId } = psa.values as Record<
        'company' | 'publicKey' | 'privateKey' | 'clientId',
        string
      >;
      const authorization = `Basic ${Buffer.from(`${company}+${publicKey}:${privateKey}`).toString('base64')}`;
      const url = `${psa.url}/v4_6_release/apis/3.0/system/callbacks?page=1&pageSize=1000`;
      const request = { method: 'GET' as const, url, headers: { authorization, clientId }, maxBytes: 500_000 };
      const rows: { url: string; inactiveFlag: boolean }[] = JSON.parse((await send(request)).text);
      return rows.filter(({ url }) => url === address).map(({ inactiveFlag }) => inactiveFlag);
    };
    await subscribe!(psa.values, send, address);
    await unsubscribe!(psa.values, send, address);
    expect(await stateOf()).toEqual([true]);
    await subscribe!(psa.values, send, address);
    expect(await stateOf()).toEqual([false]);
  });

  test('register once', async () => {
    const psa = peers.get('connectwise')!;
    const { send } = createSend(t.deps.outbound, []);
    const { subscribe } = targetKindOf('connectwise')!.callbacks!;
    for (let count = 0; count < 2; count++) await subscribe!(psa.values, send, 'https://portal.example/callback/abc');
    const posted = psa.received.filter(({ path, body }) => path.endsWith('/system/callbacks') && body.includes('/callback/abc'));
    expect(posted).toHaveLength(1);
  });
});

describe('a reading at once', () => {
  test('follows failures, but waits as long as the PSA requires', async () => {
    const psa = peers.get('halo')!;
    const { target } = await linked(psa);
    const due = () =>
      scoped(t.db, 'system', (tx) => dueNow(tx, 'system', target, new Date(t.clock.now()))).then(
        (at) => at!.getTime() - t.clock.now(),
      );
    const fail = async (disturbance: Parameters<typeof psa.disturb>[0]) => {
      await scoped(t.db, 'system', (tx) =>
        tx
          .updateTable('ticket_setups')
          .set({ next_at: new Date(t.clock.now()) })
          .where('target_id', '=', target)
          .execute(),
      );
      psa.disturb(disturbance);
      await work.poll(target);
      expect((await work.setupRow(target)).failures).toBe(1);
    };
    await fail({ kind: 'outage' });
    expect(await due()).toBe(0);
    await fail({ kind: 'throttle', seconds: 600 });
    const wait = await due();
    expect(wait).toBeGreaterThan(590_000);
    expect(wait).toBeLessThanOrEqual(600_000);
  });
});
