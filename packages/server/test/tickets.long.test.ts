/**
 * Random work at both sides of a PSA, with requests and readings that are lost, doubled, limited or late: in the end both sides have the same state, or
 * show the conflict. `SEQUENCES` sets how many.
 */
import type { CaseStatus } from '@parapet/contract/rules/cases.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import { psaCallback } from '@parapet/world/peers/psa.callbacks.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import type { Disturbance } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture } from './deliveries.fixture.ts';
import { callbackWork, setupOf, type TicketWork, ticketWork } from './tickets.fixture.ts';

const sequences = Number(process.env.SEQUENCES ?? 70);
const steps = 14;
const kinds = ['halo', 'connectwise', 'autotask'] as const;
const wanted: readonly CaseStatus[] = ['investigating', 'escalated', 'closed', 'escalated:closed'];

const peers: PsaPeer[] = [];
let t: DeliveriesFixture;
let work: TicketWork;
let callbacks: ReturnType<typeof callbackWork>;
beforeAll(async () => {
  for (const kind of kinds) peers.push((await startPeer[kind]!()) as PsaPeer);
  t = await deliveriesFixture(peers, { timeoutMs: 1_000 });
  work = ticketWork(t);
  callbacks = callbackWork(t);
});
afterAll(async () => {
  await t.close();
  for (const peer of peers) await peer.close();
});

/** Numbers from 0 to below `limit`, the same for each seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % limit;
  };
}

const spoilt: readonly Disturbance[] = [
  { kind: 'reset' },
  { kind: 'outage' },
  { kind: 'throttle', seconds: 30 },
  { kind: 'broken' },
  { kind: 'status', status: 500 },
];

async function sequence(seed: number): Promise<'same' | 'conflict'> {
  const random = randomOf(seed);
  const psa = peers[seed % peers.length]!;
  const { partner, client, target } = await work.start(psa);
  await callbacks.open({ organisationId: partner, targetId: target });
  const before = psa.people.tickets.length;
  const id = await work.open(client);
  const comments: string[] = [];
  const log: string[] = [];
  const ticket = () => psa.people.tickets[before];

  // The key of ConnectWise is read at its site, which may be disturbed: polling covers what is refused then.
  const unreachable = psa.kind === 'connectwise' ? [401, 503] : [];
  const callback = (id: number, secret = psa.kind === 'connectwise' ? '' : callbacks.secret) =>
    callbacks.send(target, psaCallback[psa.kind]!({ site: psa.url, ticket: id, secret }));
  const spoil = (): void => {
    if (random(2) === 0) return;
    const clean = Array.from({ length: random(5) }, (): Disturbance => ({ kind: 'none' }));
    psa.disturb(...clean, spoilt[random(spoilt.length)]!);
  };
  const operations: (() => Promise<unknown> | unknown)[] = [
    () => work.setStatus(id, wanted[random(wanted.length)]!),
    () => ticket() && psa.people.setStatus(ticket()!.id, Object.values(psa.statuses)[random(4)]!),
    () => {
      if (!ticket()) return;
      comments.push(`Comment ${seed}.${comments.length} <b>of</b> a person`);
      psa.people.comment(ticket()!.id, 'Robin', comments.at(-1)!, random(2) === 0);
    },
    () => {
      const isInternal = random(3) === 0;
      const text = `${isInternal ? 'Internal' : 'Shared'} note ${seed}.${log.length} <i>of</i> the case`;
      return work.writeNote(id, { text, isInternal });
    },
    () => t.queue(client, { event: 'case.verdict', objectId: id, occasion: log.length }),
    async () => {
      spoil();
      await work.send(target);
    },
    async () => {
      spoil();
      await work.poll(target);
    },
    async () => {
      await work.poll(target);
      await work.poll(target);
    },
    () => work.send(target),
    // Lost where it is not chosen, late, and sometimes doubled.
    async () => {
      if (!ticket()) return;
      for (let count = 1 + random(2); count > 0; count--) expect([200, ...unreachable]).toContain(await callback(ticket()!.id));
      await work.runDue(target);
    },
    // Forged, and genuine about the tickets of others.
    async () => {
      expect([401, ...unreachable]).toContain(await callback(ticket()?.id ?? 1, 'another secret'));
      expect([200, ...unreachable]).toContain(await callback(999_999));
      await work.runDue(target);
    },
  ];
  for (let step = 0; step < steps; step++) {
    const chosen = random(operations.length);
    log.push(String(chosen));
    await operations[chosen]!();
  }
  // Disturbances that were not used up are spent first.
  for (let round = 0; round < 8; round++) {
    await work.send(target);
    await work.poll(target);
  }

  const about = `seed ${seed}, ${psa.kind}, steps ${log.join(' ')}`;
  const rows = await t.rows(target);
  expect(
    rows.filter(({ state }) => state === 'queued' || state === 'sent' || state === 'failed'),
    about,
  ).toEqual([]);
  const mine = psa.people.tickets.slice(before);
  const record = await work.caseOf(id);
  const notes = await work.notesOf(id);
  const texts = notes.filter(({ author_name }) => author_name === 'Robin').map(({ text }) => text);
  expect(texts.toSorted(), about).toEqual(comments.map((text) => text.replace(/<\/?b>/g, '')).toSorted());
  // A case that was closed before its ticket was opened has none.
  if (mine.length === 0) {
    expect(
      rows.every(({ state }) => state === 'givenUp'),
      about,
    ).toBe(true);
    return 'same';
  }
  expect(mine, about).toHaveLength(1);
  const own = mine[0]!.notes.filter(({ author }) => author === 'Portal');
  const followed = rows.filter(({ state, accepted_id }) => state === 'accepted' && accepted_id?.includes(' note '));
  expect(new Set(own.map(({ text }) => text)).size, about).toBe(own.length);
  expect(own.map(({ id: note }) => String(note)).toSorted(), about).toEqual(
    followed.map(({ accepted_id }) => accepted_id!.split(' note ')[1]!).toSorted(),
  );
  expect(
    mine[0]!.notes.filter(({ text }) => text.includes('Internal note')),
    about,
  ).toEqual([]);
  for (const row of rows.filter(({ event, state }) => event === 'case.note' && state === 'accepted')) {
    const { text } = notes.find(({ id: note }) => note === (row.facts as { note: number }).note)!;
    expect(
      own.filter((note) => note.text.includes(text)),
      about,
    ).toHaveLength(1);
  }
  const setup = setupOf(psa);
  const status = String(mine[0]!.status);
  const isSame = setup.statuses[record.status] === status || setup.back[status] === record.status || !setup.back[status];
  if (isSame) return 'same';
  const linked = await work.ticketOf(id);
  expect(linked?.conflict, `${about}: case ${record.status}, ticket ${status}`).toMatch(/The case stays/);
  return 'conflict';
}

test(
  'ends random sequences in the same state on both sides, or with a visible conflict',
  async () => {
    const ends = { same: 0, conflict: 0 };
    for (let seed = 1; seed <= sequences; seed++) ends[await sequence(seed)]++;
    expect(ends.same + ends.conflict).toBe(sequences);
    expect(ends.same).toBeGreaterThan(sequences / 2);
  },
  60_000 + sequences * 5_000,
);
