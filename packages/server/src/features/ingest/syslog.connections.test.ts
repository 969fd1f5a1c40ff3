/** Syslog as a kind of connection: added, paused and removed by people while real senders send. */
import { createSocket } from 'node:dgram';
import { connect, createServer, type Socket } from 'node:net';
import { accountApi } from '@parapet/contract/account.ts';
import { connectionsApi } from '@parapet/contract/connections.ts';
import { syslogApi } from '@parapet/contract/syslog.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseWith, type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import type { TestDatabase } from '../../../test/database.ts';
import { freePort } from '../../../test/ports.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const partner = 2200;
const one = 2201;
const other = 2202;
let database: TestDatabase;
let t: TestApp;
let ports: number[];
let admin: TestUser;
let otherAdmin: TestUser;
let partnersAdmin: TestUser;
let manager: TestUser;
let host: TestUser;

beforeAll(async () => {
  database = await databaseWith(1, partner, one, other);
  ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  t = await testApp({ SYSLOG_PORTS: ports.join(','), SYSLOG_HOST: '127.0.0.1' }, database);
  await t.organisation({ id: 1, isPartner: true });
  await t.organisation({ id: partner, isPartner: true, parentId: 1 });
  await t.organisation({ id: one, parentId: partner });
  await t.organisation({ id: other, parentId: 1 });
  admin = await t.user({ organisationId: one, role: 'Administrator' });
  otherAdmin = await t.user({ organisationId: other, role: 'Administrator' });
  partnersAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  manager = await t.user({ organisationId: one, role: 'Manager' });
  host = await t.user({ organisationId: 1, role: 'Host' });
}, 120_000);
afterAll(() => t.close());

let number = 0;
/** For every sender, which the provider’s staff adds, unless senders are named. */
const add = (
  values: { transport: string; port: number; senders?: string },
  user = values.senders === undefined ? host : admin,
  client = user === host ? one : user.organisationId,
) => {
  const body = {
    kind: 'syslog',
    name: `Syslog ${++number}`,
    values: { transport: values.transport, port: String(values.port), senders: values.senders ?? 'any' },
  };
  return t.call(connectionsApi.create, { params: { client }, body }, user);
};
const list = async (user = admin) =>
  (await t.call(connectionsApi.list, { params: { client: user.organisationId } }, user)).json().results as {
    id: number;
    state: string;
    error: string | null;
    lastEventAt: string | null;
    eventsLastDay: number;
    account: string;
  }[];
const shown = async (id: number, user = admin) => (await list(user)).find((each) => each.id === id);
const network = (client: number, text: string, user = host) =>
  t.call(syslogApi.addNetwork, { body: { client, network: text } }, user);
const faultsOf = (answer: { json(): { errors?: Record<string, string[]>; error?: string } }) => {
  const { errors, error } = answer.json();
  return Object.values(errors ?? {})[0]?.[0] ?? error;
};

const sendUdp = (port: number, text: string, from = '127.0.0.1') =>
  new Promise<void>((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.bind(0, from, () =>
      socket.send(text, port, '127.0.0.1', (error) => socket.close(() => (error ? reject(error) : resolve()))),
    );
  });
const openTcp = (port: number, from = '127.0.0.1') =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => resolve(socket));
    socket.once('error', reject);
  });
const textsOf = async (organisationId: number) =>
  (await scoped(t.db, 'system', (tx) => eventRows(tx)))
    .filter((row) => row.organisation_id === organisationId)
    .map(({ text }) => text);
const listensAt = (port: number, transport: 'tcp' | 'udp') =>
  expect.poll(() => t.application[transport === 'tcp' ? 'syslogPorts' : 'syslogUdpPorts'], { timeout: 10_000 }).toContain(port);
const endsAt = (port: number, transport: 'tcp' | 'udp') =>
  expect
    .poll(() => t.application[transport === 'tcp' ? 'syslogPorts' : 'syslogUdpPorts'], { timeout: 10_000 })
    .not.toContain(port);

test('opens no port without a connection', () => {
  expect([t.application.syslogPorts, t.application.syslogUdpPorts]).toEqual([[], []]);
});

test('listens once a connection is added, shows what arrives, and ends while it is paused and once it is removed', async () => {
  const [port = 0] = ports;
  const { id } = (await add({ transport: 'tcp', port })).json();
  expect(await shown(id)).toMatchObject({ state: 'waiting', account: `TCP ${port}`, lastEventAt: null });
  await listensAt(port, 'tcp');
  (await openTcp(port)).end('first line by tcp\nsecond line by tcp\n');
  await expect.poll(() => textsOf(one), { timeout: 10_000 }).toHaveLength(2);
  await expect.poll(() => shown(id), { timeout: 10_000 }).toMatchObject({ state: 'receiving', eventsLastDay: 2 });
  const tested = await t.call(connectionsApi.testStored, { params: { client: one, connection: id } }, admin);
  expect(tested.json().results[0]).toMatchObject({ canRead: true, detail: expect.stringContaining('The portal listens.') });

  const open = await openTcp(port);
  const ended = new Promise((resolve) => open.once('close', resolve));
  await t.call(connectionsApi.pause, { params: { client: one, connection: id }, body: { isPaused: true } }, admin);
  await ended;
  await endsAt(port, 'tcp');
  await expect(openTcp(port)).rejects.toThrow('ECONNREFUSED');
  expect(await shown(id)).toMatchObject({ state: 'paused' });
  await t.call(connectionsApi.pause, { params: { client: one, connection: id }, body: { isPaused: false } }, admin);
  await listensAt(port, 'tcp');
  expect((await t.call(connectionsApi.remove, { params: { client: one, connection: id } }, admin)).statusCode).toBe(200);
  await endsAt(port, 'tcp');
});

describe('places', () => {
  test('belong to one connection, also across organisations, and are permitted by the operator', async () => {
    const port = ports[1]!;
    expect((await add({ transport: 'udp', port })).statusCode).toBe(200);
    for (const client of [one, other]) {
      const again = await add({ transport: 'udp', port }, host, client);
      expect([again.statusCode, faultsOf(again)]).toEqual([409, expect.stringContaining('is in use by another connection')]);
    }
    expect((await add({ transport: 'tcp', port }, host, other)).statusCode).toBe(200);
    const forbidden = await add({ transport: 'udp', port: 22 });
    expect([forbidden.statusCode, faultsOf(forbidden)]).toEqual([400, expect.stringContaining('isn’t permitted')]);
    for (const values of [
      { transport: 'icmp', port },
      { transport: 'udp', port: -1 },
      { transport: 'udp', port, senders: '300.1.1.1' },
      { transport: 'udp', port, senders: '0x7f.1' },
    ])
      expect((await add(values)).statusCode).toBe(400);
  });

  test('accept every sender only from the provider’s staff', async () => {
    const values = { transport: 'udp', port: String(ports[2]), senders: 'any' };
    const { key } = (await t.call(accountApi.createApiKey, { body: { name: 'Key', scopes: ['ingest'] } }, admin)).json();
    for (const user of [admin, partnersAdmin, { ...admin, token: key }]) {
      const tested = await t.call(connectionsApi.test, { params: { client: one }, body: { kind: 'syslog', values } }, user);
      const body = { transport: 'udp', port: ports[2]! };
      for (const answer of [tested, await add(body, user, one), await add({ ...body, senders: ',' }, user, one)])
        expect([answer.statusCode, answer.json().errors]).toEqual([
          400,
          { 'values.senders': [expect.stringContaining('Only the provider’s staff may add every sender')] },
        ]);
    }
  });

  test('accept only administrators of the client, as connections do', async () => {
    expect((await add({ transport: 'udp', port: ports[2]! }, manager)).statusCode).toBe(403);
    expect((await add({ transport: 'udp', port: ports[2]! }, otherAdmin, one)).statusCode).toBe(403);
  });
});

describe('networks of senders', () => {
  test('accept only the provider’s Host, and no overlap', async () => {
    expect((await network(one, '127.0.0.0/30', admin)).statusCode).toBe(403);
    expect((await network(one, '127.0.0.0/30')).json()).toMatchObject({ network: '127.0.0.0/30', clientOrganizationID: one });
    expect((await network(other, '127.0.0.9')).json()).toMatchObject({ network: '127.0.0.9/32' });
    for (const text of ['127.0.0.2', '127.0.0.0/8', '127.0.0.9/32', 'all', '127.0.0.1/40', '10.0.0.0/8/9', '10.0.0.0/024'])
      expect((await network(other, text)).statusCode, text).toBe(400);
    expect((await t.call(syslogApi.get, {}, manager)).statusCode).toBe(403);
    expect((await t.call(syslogApi.get, {}, host)).json().networks.results).toHaveLength(2);
  });

  test('tell organisations apart at one port; an unknown sender is counted and nothing of it stored', async () => {
    const port = ports[2]!;
    const unlisted = await add({ transport: 'udp', port, senders: '127.0.0.9' });
    expect([unlisted.statusCode, faultsOf(unlisted)]).toEqual([
      400,
      expect.stringContaining('no network that the provider lists'),
    ]);
    const { id } = (await add({ transport: 'udp', port, senders: '127.0.0.1, 127.0.0.2' })).json();
    await listensAt(port, 'udp');
    const { id: otherId } = (await add({ transport: 'udp', port, senders: '127.0.0.9' }, otherAdmin)).json();
    expect((await add({ transport: 'udp', port, senders: '127.0.0.1' })).statusCode).toBe(409);
    // The port is open already; before the second connection is confirmed, its sender counts as unknown.
    const tested = () => t.call(connectionsApi.testStored, { params: { client: other, connection: otherId } }, otherAdmin);
    await expect.poll(async () => (await tested()).json().results[0].canRead, { timeout: 20_000 }).toBe(true);
    await sendUdp(port, 'of the other organisation', '127.0.0.9');
    await sendUdp(port, 'of one organisation', '127.0.0.2');
    await sendUdp(port, 'of an unknown sender', '127.0.0.3');
    await expect.poll(() => textsOf(other), { timeout: 10_000 }).toContainEqual(expect.stringContaining('of the other'));
    await expect.poll(() => textsOf(one), { timeout: 10_000 }).toContainEqual(expect.stringContaining('of one organisation'));
    await expect
      .poll(async () => (await t.call(syslogApi.get, {}, host)).json().ports.results, { timeout: 20_000 })
      .toEqual([expect.objectContaining({ transport: 'udp', port, unknown: 1, unknownAddress: '127.0.0.3' })]);
    const all = [...(await textsOf(one)), ...(await textsOf(other))].join('\n');
    expect(all).not.toContain('unknown sender');
    expect((await textsOf(one)).join('\n')).not.toContain('of the other');

    const { results } = (await t.call(syslogApi.get, {}, host)).json().networks;
    const used = results.find((each: { clientOrganizationID: number }) => each.clientOrganizationID === one);
    const remove = () => t.call(syslogApi.removeNetwork, { params: { network: used.id } }, host);
    expect((await remove()).statusCode).toBe(409);
    await t.call(connectionsApi.remove, { params: { client: one, connection: id } }, admin);
    expect((await remove()).statusCode).toBe(200);
  });

  test('tell senders by TCP apart as well', async () => {
    const port = ports[2]!;
    expect((await add({ transport: 'tcp', port, senders: '127.0.0.9' }, otherAdmin)).statusCode).toBe(200);
    await listensAt(port, 'tcp');
    (await openTcp(port, '127.0.0.9')).end('by tcp from a listed address\n');
    await expect.poll(() => textsOf(other), { timeout: 10_000 }).toContainEqual(expect.stringContaining('by tcp from a listed'));
    const unknown = await openTcp(port, '127.0.0.1');
    unknown.on('error', () => {});
    await new Promise((resolve) => unknown.once('close', resolve));
    await expect
      .poll(async () => (await t.call(syslogApi.get, {}, host)).json().ports.results, { timeout: 20_000 })
      .toContainEqual(expect.objectContaining({ transport: 'tcp', port, unknown: 1 }));
  });
});

test('shows in words that a port can’t be opened', async () => {
  const port = ports[3]!;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { id } = (await add({ transport: 'tcp', port })).json();
  await expect
    .poll(() => shown(id), { timeout: 10_000 })
    .toMatchObject({ state: 'retrying', error: `TCP port ${port} is in use by another program on the server.` });
  await new Promise((resolve) => server.close(resolve));
  await t.call(connectionsApi.pause, { params: { client: one, connection: id }, body: { isPaused: true } }, admin);
  await t.call(connectionsApi.pause, { params: { client: one, connection: id }, body: { isPaused: false } }, admin);
  await listensAt(port, 'tcp');
  await expect.poll(() => shown(id), { timeout: 10_000 }).toMatchObject({ state: 'waiting', error: null });
});

describe('the setting SYSLOG', () => {
  test('becomes connections once, with its networks, and a removed one stays away', async () => {
    const given = await databaseWith(2301, 2302);
    const [tcp, udp] = [await freePort(), await freePort()];
    const setting = `${tcp}=2301,udp:${udp}@127.0.0.0/30=2301,udp:${udp}@127.0.0.9=2302`;
    const start = () => testApp({ SYSLOG: setting, SYSLOG_HOST: '127.0.0.1' }, given);
    const first = await start();
    const user = await first.user({ organisationId: 2301, role: 'Administrator' });
    const namesOf = async (app: TestApp) =>
      (await app.call(connectionsApi.list, { params: { client: 2301 } }, user)).json().results as { id: number; name: string }[];
    const names = [`Syslog TCP ${tcp}`, `Syslog UDP ${udp} from 127.0.0.0/30`];
    expect((await namesOf(first)).map(({ name }) => name)).toEqual(names);
    expect([first.application.syslogPorts, first.application.syslogUdpPorts]).toEqual([[tcp], [udp]]);
    const [removed] = await namesOf(first);
    await first.call(connectionsApi.remove, { params: { client: 2301, connection: removed!.id } }, user);
    await first.db.close();
    await first.application.close();

    const second = await start();
    expect((await namesOf(second)).map(({ name }) => name)).toEqual(names.slice(1));
    expect([second.application.syslogPorts, second.application.syslogUdpPorts]).toEqual([[], [udp]]);
    await second.close();
  });

  test('takes the widest network of one organisation, and skips those inside it', async () => {
    const given = await databaseWith(2304);
    const [udp, second] = [await freePort(), await freePort()];
    const setting = `udp:${udp}@127.0.0.1=2304,udp:${udp}@127.0.0.0/30=2304,udp:${second}@127.0.0.2=2304`;
    const app = await testApp({ SYSLOG: setting, SYSLOG_HOST: '127.0.0.1' }, given);
    const user = await app.user({ organisationId: 2304, role: 'Administrator' });
    const { results } = (await app.call(connectionsApi.list, { params: { client: 2304 } }, user)).json();
    const accounts: string[] = results.map(({ account }: { account: string }) => account);
    expect(accounts.sort()).toEqual([`UDP ${udp} from 127.0.0.0/30`, `UDP ${second} from 127.0.0.2`].sort());
    expect([...app.application.syslogUdpPorts].sort()).toEqual([udp, second].sort());
    await app.close();
  });

  test('leaves a port closed that the operator took out of both settings, with an error that names it', async () => {
    const given = await databaseWith(2305);
    const port = await freePort();
    const first = await testApp({ SYSLOG: `${port}=2305`, SYSLOG_HOST: '127.0.0.1' }, given);
    expect(first.application.syslogPorts).toEqual([port]);
    const user = await first.user({ organisationId: 2305, role: 'Administrator' });
    await first.application.close();
    // An older confirmation, as after a minute.
    await scoped(first.db, 'system', (tx) => tx.updateTable('connections').set({ pulled_at: null }).execute());
    await first.db.close();

    const second = await testApp({ SYSLOG_PORTS: '1-2', SYSLOG_HOST: '127.0.0.1' }, given);
    expect(second.application.syslogPorts).toEqual([]);
    const { results } = (await second.call(connectionsApi.list, { params: { client: 2305 } }, user)).json();
    expect(results).toEqual([
      expect.objectContaining({ state: 'retrying', error: `Port ${port} isn’t permitted. Permitted: 1–2.` }),
    ]);
    await second.close();
  });
});
