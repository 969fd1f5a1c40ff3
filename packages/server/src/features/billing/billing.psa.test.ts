/** Counts written to simulated PSA systems: shown before, confirmed by people, and accepted only once the PSA has them. */
import { billingApi as api, type BillingLine } from '@parapet/contract/billing.ts';
import { deliveriesApi } from '@parapet/contract/deliveries.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import type { PsaPeer, PsaService } from '@parapet/world/peers/psa.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { type DeliveriesFixture, deliveriesFixture } from '../../../test/deliveries.fixture.ts';
import { scoped } from '../../core/db/scope.ts';

const kinds = ['connectwise', 'autotask', 'halo'] as const;
const psas = {} as Record<(typeof kinds)[number], PsaPeer>;
const month = '2026-10';
let t: TestApp;
let d: DeliveriesFixture;

beforeAll(async () => {
  for (const kind of kinds) psas[kind] = (await startPeer[kind]!()) as PsaPeer;
  const peers = Object.values(psas);
  t = await testApp({ CONNECTION_ORIGINS: peers.map(({ url }) => url).join(',') });
  d = await deliveriesFixture(peers, { given: t.database });
});
afterAll(async () => {
  await d.close();
  await t.close();
  for (const psa of Object.values(psas)) await psa.close();
});

interface Work {
  client: number;
  target: number;
  partner: number;
  admin: TestUser;
  psa: PsaPeer;
  /** Service of the agreement for servers. */
  item: PsaService;
  agreement: number;
}

/** A client with 4 servers in October, billed by an agreement of its company. */
async function start(kind: (typeof kinds)[number] = 'connectwise'): Promise<Work> {
  const psa = psas[kind];
  d.clock.moveTo(Date.now());
  const partner = await t.organisation({ isPartner: true });
  const client = await t.organisation({ parentId: partner });
  const admin = await t.user({ organisationId: partner, role: 'Administrator' });
  const { id: target } = await d.target(partner, psa);
  const agreement = psa.bookkeepers.agreements.find(({ company }) => String(company) === psa.company)!;
  const [item] = agreement.services;
  psa.bookkeepers.setQuantity(item!.id, 1);
  await scoped(t.db, 'system', async (tx) => {
    await sql`insert into billing_months (organisation_id, month, level, servers, workstations, bytes, counted_at, closed_at)
      values (${client}, ${`${month}-01`}::date, 1, 4, 2, 0, now(), now())`.execute(tx);
    await sql`insert into ticket_companies values (${target}, ${partner}, ${client}, ${psa.company}, 'Alder Foods')`.execute(tx);
  });
  const work = { client, target, partner, admin, psa, item: item!, agreement: agreement.id };
  expect((await saveLines(work)).statusCode).toBe(200);
  return work;
}

const place = ({ client, target }: Work) => ({ client, target });
const saveLines = (work: Work, itemId = String(work.item.id)) =>
  t.call(
    api.saveLines,
    { params: place(work), body: { lines: [{ measure: 'servers', agreementId: String(work.agreement), itemId }] } },
    work.admin,
  );
const compare = async (work: Work, user = work.admin) =>
  (await t.call(api.compare, { params: place(work), query: { month } }, user)).json() as {
    agreements: { label: string }[] | null;
    error: string | null;
    lines: BillingLine[];
  };
const serversOf = async (work: Work): Promise<BillingLine> =>
  (await compare(work)).lines.find(({ measure }) => measure === 'servers')!;
const confirm = (work: Work, line: BillingLine, user = work.admin, times = 1) =>
  t.call(
    api.confirm,
    {
      params: place(work),
      body: {
        month,
        lines: Array.from({ length: times }, () => ({
          measure: 'servers' as const,
          agreementId: line.agreementId,
          itemId: line.itemId,
          current: line.current ?? 0,
          quantity: line.counted ?? 0,
          newestId: line.newest?.id ?? 0,
        })),
      },
    },
    user,
  );
/** Sends what is due, also what waits for another attempt. */
async function send(work: Work): Promise<void> {
  d.forward(2 * hourMs);
  await d.turn(work.target);
}
/** Requests of a peer that change something. */
const changes = ({ psa }: Work) => psa.received.filter(({ path }) => !/query|token/.test(path)).length;

describe.each(kinds)('%s', (kind) => {
  test('shows the difference and writes it after a confirmation only', async () => {
    const work = await start(kind);
    const before = changes(work);
    const line = await serversOf(work);
    expect(line).toMatchObject({ counted: 4, current: 1, isGone: false, newest: null });
    expect(line.label).toMatch(/^Managed security Alder Foods: Protected servers$/);
    await send(work);
    expect({ quantity: work.item.quantity, changes: changes(work) }).toEqual({ quantity: 1, changes: before });
    expect((await confirm(work, line)).statusCode).toBe(200);
    expect((await serversOf(work)).newest).toMatchObject({ state: 'queued', quantity: 4 });
    await send(work);
    expect(work.item.quantity).toBe(4);
    expect(await serversOf(work)).toMatchObject({ current: 4, newest: { state: 'accepted', words: null } });
  });

  test('finds its change again after a lost answer', async () => {
    const work = await start(kind);
    await confirm(work, await serversOf(work));
    // Reading takes 2 requests at ConnectWise and HaloPSA (token), 3 at Autotask; the change is the next one.
    const reads = kind === 'autotask' ? 3 : 2;
    work.psa.disturb(...Array.from({ length: reads }, () => ({ kind: 'none' }) as const), { kind: 'broken' });
    await send(work);
    expect(work.item.quantity).toBe(4);
    expect((await serversOf(work)).newest).toMatchObject({ state: 'failed' });
    await send(work);
    expect(work.item.quantity).toBe(4);
    expect(await serversOf(work)).toMatchObject({ newest: { state: 'accepted' } });
  });

  test('gives up in the words of a PSA that refuses', async () => {
    const work = await start(kind);
    work.psa.bookkeepers.refuse('The agreement is invalid: it is locked for billing.');
    await confirm(work, await serversOf(work));
    await send(work);
    work.psa.bookkeepers.refuse();
    expect(work.item.quantity).toBe(1);
    expect((await serversOf(work)).newest).toMatchObject({
      state: 'givenUp',
      words: expect.stringContaining('locked for billing'),
    });
  });

  test('names an agreement that ended, before and after a confirmation', async () => {
    const work = await start(kind);
    const line = await serversOf(work);
    await confirm(work, line);
    const agreement = work.psa.bookkeepers.agreements.find(({ id }) => id === work.agreement)!;
    agreement.isEnded = true;
    await send(work);
    const after = await serversOf(work);
    agreement.isEnded = false;
    expect(work.item.quantity).toBe(1);
    expect(after).toMatchObject({
      isGone: true,
      current: null,
      newest: { state: 'givenUp', words: expect.stringMatching(/ended or was removed/) },
    });
  });
});

describe('differences of Autotask', () => {
  const adjustments = ({ psa }: Work) => psa.received.filter(({ path }) => path.endsWith('/ContractServiceAdjustments'));

  test.each(['accepted', 'lost'])('sends one whose answer was %s once, although its units are shown late', async (way) => {
    const work = await start('autotask');
    const before = adjustments(work).length;
    await confirm(work, await serversOf(work));
    work.psa.bookkeepers.delay(true);
    if (way === 'lost') work.psa.disturb({ kind: 'none' }, { kind: 'none' }, { kind: 'none' }, { kind: 'broken' });
    for (let count = 0; count < 3; count++) await send(work);
    expect(await serversOf(work)).toMatchObject({
      current: 1,
      newest: { state: 'givenUp', words: expect.stringMatching(/taken by Autotask or its result is unknown/) },
    });
    work.psa.bookkeepers.delay(false);
    expect(adjustments(work)).toHaveLength(before + 1);
    expect(await serversOf(work)).toMatchObject({ current: 4 });
  });

  test('reads and writes units as of the attempt', async () => {
    const work = await start('autotask');
    await confirm(work, await serversOf(work));
    d.forward(2 * dayMs);
    await d.turn(work.target);
    const { effectiveDate } = JSON.parse(adjustments(work).at(-1)!.body);
    expect(effectiveDate.slice(0, 10)).toBe(new Date(d.clock.now()).toISOString().slice(0, 10));
  });

  test('writes over no period that began after the confirmation', async () => {
    const work = await start('autotask');
    const { item } = work;
    await confirm(work, await serversOf(work));
    item.next = { quantity: 7, at: d.clock.now() + dayMs };
    d.forward(2 * dayMs);
    await d.turn(work.target);
    delete item.next;
    expect((await serversOf(work)).newest).toMatchObject({ state: 'givenUp', words: expect.stringMatching(/has 7 now, not 1/) });
  });

  test('reads all of more than 500 services, and writes none whose units are unknown', async () => {
    const work = await start('autotask');
    const { services } = work.psa.bookkeepers.agreements.find(({ id }) => id === work.agreement)!;
    const count = services.length;
    for (let number = 0; number < 600; number++) services.push({ id: 500_000 + number, name: `Service ${number}`, quantity: 1 });
    const last = services.at(-1)!;
    expect((await saveLines(work, String(last.id))).statusCode).toBe(200);
    const line = await serversOf(work);
    expect(line).toMatchObject({ current: 1, isGone: false });
    last.hasNone = true;
    expect(await serversOf(work)).toMatchObject({ current: null, isGone: false });
    await confirm(work, { ...line, current: 0 });
    await send(work);
    services.length = count;
    expect(last.quantity).toBe(1);
    expect((await serversOf(work)).newest).toMatchObject({
      state: 'givenUp',
      words: expect.stringMatching(/has no quantity now/),
    });
  });
});

describe('confirmations', () => {
  test('writes over no change that people made at the PSA', async () => {
    const work = await start();
    await confirm(work, await serversOf(work));
    work.psa.bookkeepers.setQuantity(work.item.id, 7);
    await send(work);
    expect(work.item.quantity).toBe(7);
    expect((await serversOf(work)).newest).toMatchObject({
      state: 'givenUp',
      words: 'ConnectWise Manage has 7 now, not 1 as when this was confirmed. Compare and confirm again.',
    });
    expect((await confirm(work, await serversOf(work))).statusCode).toBe(200);
    await send(work);
    expect(work.item.quantity).toBe(4);
  });

  test('takes one of two people who confirm at once', async () => {
    const work = await start();
    const other = await t.user({ organisationId: work.partner, role: 'Administrator' });
    const line = await serversOf(work);
    const answers = await Promise.all([confirm(work, line), confirm(work, line, other), confirm(work, line)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409]);
    expect(await d.rows(work.target)).toHaveLength(1);
    await send(work);
    expect((await confirm(work, line, other)).body).toMatch(/confirmed 4 for Servers. Compare again/);
    expect(await d.rows(work.target)).toHaveLength(1);
  });

  test('refuses a doubled confirmation, and one of a count that changed', async () => {
    const work = await start();
    const line = await serversOf(work);
    expect((await confirm(work, { ...line, counted: 5 })).statusCode).toBe(409);
    expect((await confirm(work, line)).statusCode).toBe(200);
    const again = await serversOf(work);
    expect((await confirm(work, again)).body).toMatch(/waits for the PSA/);
    await send(work);
    expect((await confirm(work, await serversOf(work))).body).toMatch(/has 4 for Servers already/);
    const correction = { month, measure: 'servers', amount: -1, reason: 'Counted twice' } as const;
    expect((await t.call(api.correct, { params: { client: work.client }, body: correction }, work.admin)).statusCode).toBe(200);
    const corrected = await serversOf(work);
    expect(corrected).toMatchObject({ counted: 3, current: 4 });
    expect((await confirm(work, corrected)).statusCode).toBe(200);
    await send(work);
    expect(work.item.quantity).toBe(3);
  });
});

describe('lines that were shown', () => {
  test('writes to no other item than the shown one, and once', async () => {
    const work = await start();
    const line = await serversOf(work);
    const other = work.psa.bookkeepers.agreements.find(({ id }) => id === work.agreement)!.services[1]!;
    expect((await saveLines(work, String(other.id))).statusCode).toBe(200);
    const answer = await confirm(work, line);
    expect({ status: answer.statusCode, body: answer.body }).toMatchObject({
      status: 409,
      body: expect.stringMatching(/Servers has another item now/),
    });
    expect((await confirm(work, await serversOf(work), work.admin, 2)).json().errors).toHaveProperty('lines');
    expect(await d.rows(work.target)).toEqual([]);
  });

  test('replays no quantity that was given up', async () => {
    const work = await start();
    await confirm(work, await serversOf(work));
    work.psa.bookkeepers.setQuantity(work.item.id, 7);
    await send(work);
    const [row] = await d.rows(work.target);
    expect(row).toMatchObject({ state: 'givenUp' });
    const params = { client: work.partner, target: work.target };
    const one = await t.call(deliveriesApi.replay, { params: { ...params, delivery: row!.id } }, work.admin);
    expect({ status: one.statusCode, body: one.body }).toMatchObject({
      status: 409,
      body: expect.stringMatching(/confirm again/),
    });
    expect((await t.call(deliveriesApi.replayAll, { params }, work.admin)).json()).toEqual({ count: 0 });
    expect(await d.rows(work.target)).toMatchObject([{ state: 'givenUp' }]);
  });
});

describe('items', () => {
  test('refuses items that the PSA does not have, and one item for two measures', async () => {
    const work = await start();
    expect((await saveLines(work, '999999')).json().errors).toHaveProperty(['lines.0.itemId']);
    const item = { agreementId: String(work.agreement), itemId: String(work.item.id) };
    const lines = [
      { measure: 'servers' as const, ...item },
      { measure: 'devices' as const, ...item },
    ];
    const twice = await t.call(api.saveLines, { params: place(work), body: { lines } }, work.admin);
    expect(twice.json().errors).toHaveProperty(['lines.1.itemId']);
  });

  test('bills one client by an item, also where two share a company', async () => {
    const work = await start();
    const client = await t.organisation({ parentId: work.partner });
    await scoped(t.db, 'system', (tx) =>
      sql`insert into ticket_companies values (${work.target}, ${work.partner}, ${client}, ${work.psa.company}, 'Alder Foods')`.execute(
        tx,
      ),
    );
    const other = await saveLines({ ...work, client });
    expect(other.json().errors).toEqual({ 'lines.0.itemId': ['Another client has this item already.'] });
    expect((await saveLines(work)).statusCode).toBe(200);
  });

  test('returns the reason of a PSA that is away', async () => {
    const work = await start();
    work.psa.disturb({ kind: 'outage' });
    expect(await compare(work)).toMatchObject({ agreements: null, error: 'ConnectWise Manage returned 503.' });
  });

  test('shows no target to others, and no name of the provider’s staff to partners', async () => {
    const work = await start();
    await t.organisation({ id: 1, isPartner: true }).catch(() => 1);
    const host = await t.user({ organisationId: 1, role: 'Administrator' });
    const stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
    expect((await t.call(api.compare, { params: place(work), query: { month } }, stranger)).statusCode).toBe(403);
    const foreign = { client: await t.organisation({ parentId: work.partner }), target: work.target };
    expect((await t.call(api.compare, { params: foreign, query: { month } }, work.admin)).statusCode).toBe(404);
    const targets = await t.call(api.targets, { params: { client: work.client } }, work.admin);
    expect(targets.json().results).toEqual([expect.objectContaining({ id: work.target, companyName: 'Alder Foods' })]);
    expect(targets.body).not.toContain(String(work.psa.values.privateKey));
    expect((await confirm(work, await serversOf(work), host)).statusCode).toBe(200);
    const { full_name: name } = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('users')
        .select(sql<string>`first_name || ' ' || last_name`.as('full_name'))
        .where('id', '=', host.id)
        .executeTakeFirstOrThrow(),
    );
    const shown = JSON.stringify(await serversOf(work));
    expect(shown).toContain('"by":"');
    expect(shown).not.toContain(name);
    const entries = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select(['action', 'organisation_id', 'visibility'])
        .where('action', '=', 'billing.confirmed')
        .where('organisation_id', '=', work.client)
        .execute(),
    );
    expect(entries).toEqual([{ action: 'billing.confirmed', organisation_id: work.client, visibility: 'internal' }]);
  });
});
