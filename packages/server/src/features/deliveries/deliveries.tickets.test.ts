/** Setup of tickets by people, against a simulated PSA. */
import { deliveriesApi as api } from '@parapet/contract/deliveries.ts';
import { startConnectWise } from '@parapet/world/peers/connectwise.ts';
import { startHalo } from '@parapet/world/peers/halo.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { saveTicket } from './deliveries.tickets.store.ts';

let t: TestApp;
let psa: PsaPeer;
let connectwise: PsaPeer;
let hook: Awaited<ReturnType<typeof startWebhook>>;
let partner: number;
let client: number;
let foreign: number;
let partnerAdmin: TestUser;
let clientAdmin: TestUser;
let otherAdmin: TestUser;
let target: number;

beforeAll(async () => {
  [psa, connectwise, hook] = [await startHalo(), await startConnectWise(), await startWebhook()];
  t = await testApp({ CONNECTION_ORIGINS: `${psa.url},${connectwise.url},${hook.url}` });
  partner = await t.organisation({ isPartner: true, name: 'Harbor' });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
  const other = await t.organisation({ isPartner: true, name: 'Summit' });
  foreign = await t.organisation({ parentId: other });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
  otherAdmin = await t.user({ organisationId: other, role: 'Administrator' });
  const body = { kind: 'halo', name: 'Halo', values: psa.values };
  const made = await t.call(api.createTarget, { params: { client: partner }, body }, partnerAdmin);
  expect(made.statusCode, made.body).toBe(200);
  target = made.json().target.id;
});
afterAll(async () => {
  await t.close();
  await psa.close();
  await connectwise.close();
  await hook.close();
});

const setup = { board: '21', type: '', priorities: {}, statuses: { closed: '9' }, back: { '9': 'closed' as const }, fields: {} };
const read = (user = partnerAdmin, board?: string, owner = partner, id = target) =>
  t.call(api.ticketSetup, { params: { client: owner, target: id }, query: board === undefined ? {} : { board } }, user);
const save = (change: object = {}, companies: { clientId: number; companyId: string }[] = [], user = partnerAdmin) =>
  t.call(api.saveTicketSetup, { params: { client: partner, target }, body: { setup: { ...setup, ...change }, companies } }, user);

test('offers what the PSA has, and the clients of the owner', async () => {
  const { setup: stored, choices, companies, error } = (await read(partnerAdmin, '21')).json();
  expect({ stored, error }).toEqual({ stored: null, error: null });
  expect(choices.boards).toContainEqual({ id: '21', label: 'Alert' });
  expect(choices.statuses).toContainEqual({ id: '9', label: 'Closed', isClosed: true });
  expect(choices.fields).toEqual([{ id: 'CFcontractRef', label: 'Contract reference', isRequired: false, options: null }]);
  expect(companies.map(({ clientId }: { clientId: number }) => clientId).toSorted()).toEqual([partner, client].toSorted());
});

test('saves choices with their audit entry, without values of custom fields', async () => {
  const saved = await save({ fields: { CFcontractRef: 'VALUE-1' } }, [{ clientId: client, companyId: '31' }]);
  expect(saved.statusCode, saved.body).toBe(200);
  const { setup: stored, companies } = (await read()).json();
  expect(stored).toMatchObject({ board: '21', fields: { CFcontractRef: 'VALUE-1' } });
  expect(companies).toContainEqual({ clientId: client, clientName: 'Alder', companyId: '31', companyName: 'Alder Foods' });
  const entries = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select(['action', 'after']).where('action', '=', 'deliveryTarget.ticketsSet').execute(),
  );
  expect(entries).toHaveLength(1);
  expect(JSON.stringify(entries)).not.toContain('VALUE-1');
});

test('saves time entries with choices that the PSA has only', async () => {
  const time = { type: '2', role: '', person: '', isBillable: true, maxMinutes: 60 };
  expect((await read()).json().choices.time).toEqual({
    types: [{ id: '2', label: 'Standard' }],
    roles: [],
    people: [],
    required: [],
  });
  const wrong = await save({ time: { ...time, type: '77' } });
  expect([wrong.statusCode, wrong.body]).toEqual([400, expect.stringContaining('setup.time.type')]);
  expect((await save({ time: { ...time, maxMinutes: 2_000 } })).statusCode).toBe(400);
  expect((await save({ time })).statusCode).toBe(200);
  expect((await read()).json().setup.time).toEqual(time);
  expect((await save()).statusCode).toBe(200);
  expect((await read()).json().setup.time).toBeNull();
});

test('reads tickets at once for an administrator, with an audit entry', async () => {
  const later = new Date(Date.now() + 3_600_000);
  const setTimes = (not_before: Date | null) =>
    scoped(t.db, 'system', (tx) =>
      tx.updateTable('ticket_setups').set({ next_at: later, failures: 3, not_before }).where('target_id', '=', target).execute(),
    );
  const timesOf = () =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('ticket_setups').select(['next_at', 'failures']).where('target_id', '=', target).executeTakeFirstOrThrow(),
    );
  const sync = () => t.call(api.syncTickets, { params: { client: partner, target } }, partnerAdmin);
  await setTimes(null);
  const done = await sync();
  expect(done.statusCode, done.body).toBe(200);
  const { next_at: at, failures } = await timesOf();
  expect([at.getTime() <= Date.now(), failures]).toEqual([true, 0]);
  await setTimes(later);
  const refused = await sync();
  expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('accepts no requests before')]);
  expect((await timesOf()).next_at).toEqual(later);
  expect(await auditsOf(target, 'deliveryTarget.ticketsSynced')).toBe(2);
});

const auditsOf = (id: number, action: string): Promise<number> =>
  scoped(t.db, 'system', async (tx) => {
    const entries = tx.selectFrom('audit').select('id').where('action', '=', action).where('target', '=', String(id));
    return (await entries.execute()).length;
  });

test('leaves callbacks off when the PSA refuses them, and switches them off and on', async () => {
  const body = { kind: 'connectwise', name: 'Manage', values: connectwise.values };
  const made = await t.call(api.createTarget, { params: { client: partner }, body }, partnerAdmin);
  expect(made.statusCode, made.body).toBe(200);
  const { id } = made.json().target;
  const params = { client: partner, target: id };
  const open = () => t.call(api.openCallbacks, { params, body: { secret: '' } }, partnerAdmin);
  const addressOf = async () => {
    const { results } = (await t.call(api.targets, { params: { client: partner } }, partnerAdmin)).json();
    return results.find((each: { id: number }) => each.id === id).callbackAddress;
  };
  connectwise.disturb({ kind: 'status', status: 403 });
  const refused = await open();
  expect([refused.statusCode, refused.body]).toEqual([503, expect.stringContaining('403')]);
  expect(await addressOf()).toBeNull();
  expect((await open()).statusCode).toBe(200);
  const path = new URL(await addressOf()).pathname;
  const closed = await t.call(api.closeCallbacks, { params }, partnerAdmin);
  expect(closed.statusCode, closed.body).toBe(200);
  expect(await addressOf()).toBeNull();
  expect((await t.application.app.inject({ method: 'POST', url: path, payload: '{}' })).statusCode).toBe(404);
  expect(await auditsOf(id, 'deliveryTarget.callbacksClosed')).toBe(2);
  expect((await t.call(api.closeCallbacks, { params }, partnerAdmin)).statusCode).toBe(409);
});

test('names each choice that the PSA does not have', async () => {
  const refused = await save({ board: '77', statuses: { open: '99' }, back: { '98': 'closed' }, fields: { CFother: 'x' } });
  expect(refused.statusCode).toBe(400);
  expect(Object.keys(refused.json().errors).toSorted()).toEqual([
    'setup.back.98',
    'setup.board',
    'setup.fields.CFother',
    'setup.statuses.open',
  ]);
  expect((await save({}, [{ clientId: client, companyId: '999' }])).json().errors).toHaveProperty('companies.0.companyId');
});

test('asks for fields that the PSA requires', async () => {
  psa.people.require(true);
  const refused = await save();
  psa.people.require(false);
  expect(refused.json().errors).toEqual({ 'setup.fields.CFcontractRef': ['HaloPSA requires "Contract reference".'] });
});

test('refuses clients of another partner, and other administrators', async () => {
  expect((await save({}, [{ clientId: foreign, companyId: '31' }])).json().errors).toHaveProperty('companies.0.companyId');
  expect((await save({}, [], clientAdmin)).statusCode).toBe(403);
  expect((await save({}, [], otherAdmin)).statusCode).toBe(403);
  const body = { kind: 'halo', name: 'Own', values: psa.values };
  expect((await t.call(api.createTarget, { params: { client }, body }, clientAdmin)).statusCode).toBe(403);
});

test('tells in words why the PSA could not be read', async () => {
  psa.disturb({ kind: 'none' }, { kind: 'outage' });
  const { choices, error } = (await read()).json();
  expect({ choices, error }).toEqual({ choices: null, error: 'HaloPSA returned 503.' });
  psa.disturb({ kind: 'status', status: 401 });
  expect((await save()).statusCode).toBe(503);
  const values = { url: hook.url };
  const made = await t.call(
    api.createTarget,
    { params: { client }, body: { kind: 'webhook', name: 'Hook', values } },
    clientAdmin,
  );
  const { id } = made.json().target;
  expect((await read(clientAdmin, undefined, client, id)).json().error).toBe(
    `Target ${id} is no PSA, so it has no tickets to set up.`,
  );
});

test('shows the ticket of a case to people of its owner, and to none of the client', async () => {
  const at = new Date();
  const caseId = await scoped(t.db, 'system', async (tx) => {
    const about = { organisation_id: client, title: 'Password guessing', criticality: 3, first_alert_at: at, last_alert_at: at };
    const { id } = await tx.insertInto('cases').values(about).returning('id').executeTakeFirstOrThrow();
    const place = { organisationId: partner, targetId: target, clientId: client, caseId: id, eventAt: at };
    const conflict = 'Both changed.';
    await saveTicket(tx, place, { id: '2001', url: 'javascript:alert(1)', status: '9', conflict }, at);
    return id;
  });
  const shown = (user: TestUser) => t.call(api.caseTickets, { params: { caseId } }, user);
  expect((await shown(partnerAdmin)).json().results).toEqual([
    expect.objectContaining({ ticketId: '2001', link: null, status: 'Closed', title: 'HaloPSA', conflict: 'Both changed.' }),
  ]);
  expect((await shown(clientAdmin)).json().results).toEqual([]);
  expect((await shown(otherAdmin)).statusCode).toBe(404);
  const list = await t.call(api.tickets, { params: { client: partner, target }, query: { page: 1, pageSize: 50 } }, partnerAdmin);
  expect(list.json()).toMatchObject({ total: 1, results: [{ caseId }] });
});

test('seals the secret', async () => {
  const row = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('delivery_targets').selectAll().where('id', '=', target).executeTakeFirstOrThrow(),
  );
  expect(`${JSON.stringify(row.settings)} ${row.secrets.toString('latin1')}`).not.toContain(psa.values.clientSecret!);
});
