/**
 * Attack scenario: a partner’s administrator attacks another partner over HTTP. Each step is refused and changes nothing; the other partner’s
 * administrator then performs the same action, so that a refusal is meaningful.
 */
import { type AddressInfo, connect } from 'node:net';
import { keyScopes } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { agentPaths } from '@parapet/contract/agentProtocol.ts';
import { agentsApi } from '@parapet/contract/agents.ts';
import { endpoints } from '@parapet/contract/api.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { bulkApi } from '@parapet/contract/bulk.ts';
import { domainsApi } from '@parapet/contract/domains.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { viewsApi } from '@parapet/contract/views.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { accessFixture, type Place, places, type World, writesOf } from './access.fixture.ts';
import { range } from './access.probes.kinds.ts';
import { probes } from './access.probes.ts';
import { mailsTo, makeAccount, post } from './accounts.ts';
import { agentOf } from './agents.fixture.ts';
import { type TestUser, testApp, waitingMails } from './app.ts';
import { callsOf } from './attack.calls.ts';
import { proveDomain } from './domains.ts';

const portal = 'portal.watch.example';
const provenHost = 'soc.ridge.example';
let world: World;
let attacker: TestUser;
let owner: TestUser;
const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => scoped(world.t.db, 'system', work);

const { ok, refused } = callsOf(() => world);

const branding = (change: object, user = attacker) => {
  const place = user === attacker ? 'partner' : 'otherPartner';
  const texts = { partnerName: place, subDomain: place.toLowerCase(), title: '', description: '', contact: '', helpURL: '' };
  const looks = { accentLight: '', accentDark: '', mailSenderName: '', mailSenderAddress: '', mailFooter: '', pdfFooter: '' };
  return { params: { id: user.organisationId }, body: { ...texts, ...looks, selfHostedDomain: '', ...change } };
};

beforeAll(async () => {
  world = await accessFixture({ ...waitingMails, PUBLIC_URL: `https://${portal}`, MAIL_FROM: 'post@watch.example' });
  attacker = world.users.partnerAdmin;
  owner = await world.t.user({ organisationId: places.otherPartner, role: 'Administrator' });
  const names = { selfHostedDomain: provenHost, mailSenderAddress: 'soc@ridge.example' };
  await ok(organisationsApi.updateBranding, branding(names, owner), owner);
  for (const domain of [provenHost, 'ridge.example']) await proveDomain(world.t.db, places.otherPartner, domain);
}, 60_000);
afterAll(() => world.t.close());

describe('a partner claiming host names', () => {
  test.each([
    [{ selfHostedDomain: 'localhost' }, 400],
    [{ selfHostedDomain: '127.0.0.1' }, 400],
    [{ selfHostedDomain: '203.0.113.7' }, 400],
    [{ selfHostedDomain: 'co.uk' }, 400],
    [{ selfHostedDomain: 'azurewebsites.net' }, 400],
    [{ selfHostedDomain: portal }, 400],
    [{ selfHostedDomain: `otherpartner.${portal}` }, 400],
    [{ selfHostedDomain: provenHost }, 409],
    [{ subDomain: 'otherpartner' }, 409],
    [{ mailSenderAddress: 'ceo@ridge.example' }, 409],
    [{ mailSenderAddress: 'soc@watch.example' }, 400],
    [{ mailSenderAddress: 'soc@localhost' }, 400],
  ])('is refused %j', async (change, status) => {
    await refused(organisationsApi.updateBranding, branding(change), attacker, status);
  });

  /** Host of the reset link emailed to this account. */
  const linkHostOf = async (organisationId: number, headers: Record<string, string> = {}) => {
    const { email } = await makeAccount(world.t, organisationId);
    const path = authApi.forgotPassword.path.replace(':resetEmail', encodeURIComponent(email));
    expect((await post(world.t, path, {}, headers)).statusCode).toBe(200);
    // Sent after the response, so that timing does not reveal whether the account exists.
    await expect.poll(async () => (await mailsTo(world.t, email)).length).toBe(1);
    const [mail] = await mailsTo(world.t, email);
    const links = [...`${mail?.text} ${mail?.html}`.matchAll(/https?:\/\/([^/\s"]+)\/passwordReset/g)].map(([, host]) => host);
    expect(links.length).toBeGreaterThan(0);
    expect(new Set(links).size).toBe(1);
    return { host: links[0], from: mail?.from_address };
  };

  test.each(['login.microsoftonline.com', 'soc.bank.example', `x.${provenHost}`])(
    'gets no reset link to the unproven host %s',
    async (selfHostedDomain) => {
      const claim = { selfHostedDomain, mailSenderAddress: `soc@${selfHostedDomain}` };
      await ok(organisationsApi.updateBranding, branding(claim), attacker);
      await ok(domainsApi.check, { params: { id: places.partner }, body: { domain: selfHostedDomain } }, attacker);
      const { results } = (await ok(domainsApi.list, { params: { id: places.partner } }, attacker)).json();
      expect(results.find(({ domain }: { domain: string }) => domain === selfHostedDomain)).toMatchObject({
        state: 'unverified',
        isInUse: false,
      });
      for (const organisationId of [places.partner, places.client])
        expect(await linkHostOf(organisationId)).toEqual({ host: `partner.${portal}`, from: 'post@watch.example' });
      await ok(organisationsApi.updateBranding, branding({}), attacker);
    },
  );

  test('neither verifies itself nor lists or checks the other’s domains', async () => {
    const vouch = { params: { id: places.partner }, body: { domain: 'claimed-2.example', isVouched: true } };
    await refused(domainsApi.vouch, vouch, attacker, 403);
    const ofOther = { params: { id: places.otherPartner } };
    await refused(domainsApi.list, ofOther, attacker, 403);
    await refused(domainsApi.check, { ...ofOther, body: { domain: provenHost } }, attacker, 403);
  });

  test('cannot redirect links by a forged Host; the other partner’s users get its proven one', async () => {
    const seen = await linkHostOf(places.foreignClient, {
      host: 'login.microsoftonline.com',
      'x-forwarded-host': 'evil.example',
    });
    expect(seen).toEqual({ host: provenHost, from: 'soc@ridge.example' });
  });
});

describe('a partner naming another’s objects', () => {
  const send = async (id: string, place: Place, user: TestUser) => {
    const endpoint = endpoints.find((each) => each.id === id) as Endpoint;
    const input = await probes[id]!.input({
      id: places[place],
      things: world.things[place],
      place,
      world,
      person: 'partnerAdmin',
    });
    return [endpoint, input as never, user] as const;
  };
  // One of each kind; access.matrix.long.test.ts covers all with every role.
  const kinds = [
    'users.list',
    'users.create',
    'users.update',
    'users.remove',
    'users.makeLink',
    'ingestKeys.create',
    'ingestKeys.revoke',
    'agents.createToken',
    'agents.revoke',
    'collectors.save',
    'suppressions.create',
    'suppressions.end',
    'reports.addSchedule',
    'reports.removeSchedule',
    'reports.startJob',
    'reports.getJob',
    'mailSubscriptions.update',
    'responseDesk.request',
    'responseDesk.approve',
    'cases.saveNote',
    'cases.exportPdf',
    'cases.exportStix',
    'cases.exportArchive',
    'audit.exportList',
    'outbox.get',
    'sapphire.addKnowledge',
    'organisations.updateRetention',
    'organisations.deactivate',
  ];
  test.each(kinds)('is refused %s, which its owner can call', async (id) => {
    await refused(...(await send(id, 'foreignClient', attacker)), 403, 404);
    const answer = await world.t.call(...(await send(id, 'foreignClient', owner)));
    // Some are allowed but have nothing to do: an approval of a finished request, a file not generated yet.
    expect([200, 400, 409], `${id} ${answer.body}`).toContain(answer.statusCode);
  });

  test('cannot move clients or create one below the other; the provider can', async () => {
    const id = await world.newClient('otherPartner');
    const move = { params: { id }, body: { partnerClientOrgID: places.partner } };
    await refused(organisationsApi.move, move, attacker, 403);
    const away = { params: { id: places.client }, body: { partnerClientOrgID: places.otherPartner } };
    await refused(organisationsApi.move, away, attacker, 403);
    await refused(...(await send('organisations.create', 'otherPartner', attacker)), 403);
    await ok(organisationsApi.move, move, world.users.host);
  });

  test('changes nothing in a mixed selection, and only its own objects otherwise', async () => {
    const ids = [world.things.client.alertId, world.things.foreignClient.alertId];
    const work = (selectedClientOrganizationID: number, which = ids) =>
      ({
        body: { which: { ids: which, selectedClientOrganizationID, ...range }, change: { do: 'seen' } },
      }) as const;
    await refused(bulkApi.alerts, work(places.foreignClient), attacker, 403);
    await refused(bulkApi.alerts, work(0), attacker, 404);
    expect((await ok(bulkApi.alerts, work(0, ids.slice(0, 1)), attacker)).json().total).toBe(1);
    expect((await ok(bulkApi.alerts, work(0), world.users.host)).json().total).toBe(2);
    const tag = { devices: [world.things.client.deviceId, world.things.foreignClient.deviceId] };
    const tags = [{ id: world.things.client.tagId, isDeleted: false }];
    await refused(tagsApi.tagDevices, { body: { ...tag, tags } }, attacker, 403, 404);
    await ok(tagsApi.tagDevices, { body: { devices: [world.things.client.deviceId], tags } }, attacker);
  });

  test('neither sees nor changes the other’s shared view', async () => {
    const view = { list: 'alerts', name: 'Of the other', query: 'a=1', isShared: true } as const;
    const { id } = (await ok(viewsApi.create, { body: view }, owner)).json();
    expect((await ok(viewsApi.list, { params: { list: 'alerts' } }, attacker)).body).not.toContain(view.name);
    await refused(viewsApi.update, { params: { id }, body: { ...view, query: 'a=2' } }, attacker, 403, 404);
    await refused(viewsApi.remove, { params: { id } }, attacker, 403, 404);
    await ok(viewsApi.update, { params: { id }, body: { ...view, query: 'a=2' } }, owner);
  });
});

describe('a partner with machine keys', () => {
  test('cannot complete another agent’s tasks or use an agent key elsewhere', async () => {
    const [mine, theirs] = [
      await agentOf(world.t, places.client, 'mine-1'),
      await agentOf(world.t, places.foreignClient, 'theirs-1'),
    ];
    const isolate = { clientOrganizationID: places.foreignClient, action: 'isolate', target: 'theirs-1' };
    const { id: requestId, state } = (await ok(responseRequestsApi.request, { body: isolate } as never, owner)).json();
    if (state === 'requested') {
      const second = await world.t.user({ organisationId: places.otherPartner, role: 'Administrator' });
      await ok(responseRequestsApi.approve, { params: { id: requestId }, body: { isApproved: true } } as never, second);
    }
    const tasks = (await theirs.pollTasks()).json().tasks as { id: number; sequence: number }[];
    expect(tasks).toHaveLength(1);
    const [task] = tasks;
    const result = { sequence: task!.sequence, state: 'failed', detail: 'not me' } as const;
    const before = await writesOf(world);
    expect((await mine.pollTasks()).json().tasks).toEqual([]);
    expect((await mine.result(task!.id, result)).statusCode).toBe(404);
    const headers = { authorization: `Bearer ${mine.key}` };
    expect(
      (await world.t.application.app.inject({ url: `/api/v1/tags?selectedClientOrgID=${places.client}`, headers })).statusCode,
    ).toBe(401);
    expect(
      (await world.t.application.app.inject({ method: 'POST', url: agentPaths.enrol, headers, payload: {} })).statusCode,
    ).not.toBe(200);
    expect((await writesOf(world)).replace(/^agents .*$/m, '')).toBe(before.replace(/^agents .*$/m, ''));
    expect((await theirs.result(task!.id, result)).statusCode).toBeLessThan(300);
  });

  test('cannot create foreign objects or further keys by API key, or change the other’s keys', async () => {
    const everything = { body: { name: 'all', scopes: [...keyScopes] } } as never;
    const key = { token: (await ok(accountApi.createApiKey, everything, attacker)).json().key as string };
    await refused(accountApi.createApiKey, everything, key, 403);
    for (const client of [places.foreignClient, places.otherPartner]) {
      await refused(ingestKeysApi.create, { params: { client }, body: { name: 'planted' } }, key, 403);
      await refused(agentsApi.createToken, { params: { client }, body: { name: 'planted' } } as never, key, 403);
    }
    await ok(ingestKeysApi.create, { params: { client: places.client }, body: { name: 'its own' } }, key);

    const made = (await ok(accountApi.createApiKey, everything, owner)).json();
    const theirs = { token: made.key as string };
    await ok(ingestKeysApi.create, { params: { client: places.foreignClient }, body: { name: 'theirs' } }, theirs);
    await refused(accountApi.mintedByApiKey, { params: { id: made.id } }, attacker, 404);
    await refused(accountApi.revokeApiKey, { params: { id: made.id }, query: { withMinted: 'true' } }, attacker, 404);
    const minted = (await ok(accountApi.mintedByApiKey, { params: { id: made.id } }, owner)).json().results;
    expect(minted).toMatchObject([{ name: 'theirs', revokedAt: null }]);
    expect((await ok(accountApi.revokeApiKey, { params: { id: made.id }, query: { withMinted: 'true' } }, owner)).json()).toEqual(
      {
        revoked: 1,
      },
    );
  });
});

test('blocks account enumeration and raises an alarm, without affecting others', async () => {
  const t = await testApp({ API_REFUSALS_A_MINUTE: '10' });
  try {
    const [mine, theirs] = [await t.organisation({ isPartner: true }), await t.organisation({ isPartner: true })];
    const prober = await t.user({ organisationId: mine, role: 'Administrator' });
    const other = await t.user({ organisationId: theirs, role: 'Administrator' });
    const account = { firstName: 'A', lastName: 'B', UserRoleID: 5, clientOrganizationID: mine, sendInvitation: true };
    const seen: number[] = [];
    for (let n = 0; n < 13; n++)
      seen.push((await t.call(usersApi.create, { body: { ...account, emailAddress: other.email } } as never, prober)).statusCode);
    expect(seen).toEqual([...Array(10).fill(409), 429, 429, 429]);
    const alarms = () =>
      scoped(t.db, 'system', (tx) =>
        tx
          .selectFrom('audit')
          .select('actor_user_id')
          .where('action', '=', 'alarm.probing')
          .where('organisation_id', '=', mine)
          .execute(),
      );
    await expect.poll(alarms).toEqual([{ actor_user_id: prober.id }]);
    const list = (user: TestUser) => t.call(tagsApi.list, { query: { selectedClientOrgID: user.organisationId } }, user);
    expect([(await list(prober)).statusCode, (await list(other)).statusCode]).toEqual([429, 200]);
    const users = await scoped(t.db, 'system', (tx) => tx.selectFrom('users').select('id').execute());
    expect(users).toHaveLength(2);
  } finally {
    await t.close();
  }
});

test('refuses huge anonymous bodies by their headers and reads those of signed-in users', async () => {
  await world.t.application.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = world.t.application.app.server.address() as AddressInfo;
  const path = `${agentsApi.addRelease.prefix}${agentsApi.addRelease.path.replace(':version', '9.9.9').replace(':platform', 'linux-x64')}`;
  /** Status line returned to headers alone, which announce 31 MB. */
  const announce = (more: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `POST ${path}?signature=none HTTP/1.1\r\nhost: ${portal}\r\ncontent-type: application/octet-stream\r\n` +
            `content-length: ${31 * 1024 * 1024}\r\nexpect: 100-continue\r\n${more}\r\n`,
        ),
      );
      socket.once('data', (data) => {
        resolve(data.toString().split('\r\n')[0] ?? '');
        socket.destroy();
      });
      socket.on('error', () => resolve('closed'));
    });
  expect(await announce('')).toContain(' 401 ');
  expect(await announce('authorization: Bearer pak_guessed\r\n')).toContain(' 401 ');
  expect(await announce(`authorization: Bearer ${attacker.token}\r\n`)).toContain(' 403 ');
  expect(await announce(`authorization: Bearer ${world.users.host.token}\r\n`)).toContain(' 100 ');
  expect(await system((tx) => tx.selectFrom('users').select('id').where('id', '=', attacker.id).execute())).toHaveLength(1);
});
