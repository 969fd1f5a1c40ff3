/**
 * Attack scenario: a client’s administrator attacks the SOC over HTTP. Each step is refused and changes nothing; a permitted user then performs
 * the same action, so that a refusal is meaningful.
 */
import { keyScopes } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { agentsApi } from '@parapet/contract/agents.ts';
import { auditApi } from '@parapet/contract/audit.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { searchApi } from '@parapet/contract/search.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { signInAgainText, usersApi } from '@parapet/contract/users.ts';
import { socName } from '@parapet/contract/visibility.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { accessFixture, auditCount, places, type World } from './access.fixture.ts';
import type { Fixtures } from './access.objects.ts';
import { password, post } from './accounts.ts';
import { ageSessions, type TestUser } from './app.ts';
import { callsOf } from './attack.calls.ts';
import { runAs } from './database.ts';
import { readable } from './readable.ts';
import { secondFactorWorld } from './secondFactor.fixture.ts';

let world: World;
let attacker: TestUser;
let host: TestUser;
let own: Fixtures;
const client = places.client;
const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => scoped(world.t.db, 'system', work);

/** Staff-only texts, by place. */
const secrets = {
  note: 'zqnote the client is being watched',
  draft: 'zqdraft we suspect their administrator',
  verdict: 'zqverdict the machine was wrong about them',
  review: 'zqreview the analyst missed it',
  suppression: 'zqsuppression their scanner is noise',
};
const staffName = 'Zqsurname';
const staffMailbox = 'zqmailbox@provider.example';
const forbidden = [...Object.values(secrets).map((text) => text.split(' ')[0] as string), staffName, staffMailbox];
const leaksIn = (text: string) => forbidden.filter((each) => text.toLowerCase().includes(each.toLowerCase()));

const range = () => ({
  start: new Date(Date.now() - 60 * 86_400_000).toISOString(),
  end: new Date(Date.now() + 3_600_000).toISOString(),
});
const { ok, refused } = callsOf(() => world);

const colleague = (more: { role?: string; ageMs?: number } = {}) =>
  world.t.user({ organisationId: client, role: 'Administrator', ...more });
const stale = async () => {
  const user = await colleague();
  await ageSessions(world.t, user.id);
  return user;
};
let number = 0;
const newUser = (more: object = {}) => ({
  body: {
    firstName: 'Second',
    lastName: 'Self',
    emailAddress: `second${++number}@client.example`,
    UserRoleID: 2,
    clientOrganizationID: client,
    password,
    confirmPassword: password,
    ...more,
  } as never,
});

beforeAll(async () => {
  world = await accessFixture();
  [attacker, host, own] = [world.users.clientAdmin, world.users.host, world.things.client];
  await system((tx) =>
    tx.updateTable('users').set({ last_name: staffName, email: staffMailbox }).where('id', '=', host.id).execute(),
  );
  const caseID = own.caseId;
  await ok(casesApi.saveNote, { body: { caseID, text: secrets.note, isInternal: true } }, host);
  await ok(casesApi.saveNarrative, { params: { clientId: client }, body: { caseID, text: secrets.draft } }, host);
  await ok(
    reviewsApi.updateDecisioningCorrectness,
    { body: { caseID, isAIDecisioningCorrect: false, notes: secrets.verdict } },
    host,
  );
  await ok(reviewsApi.updateDecision, { body: { ID: own.reviewId, decisionID: 17, notes: secrets.review } }, host);
  const suppression = { clientOrganizationID: client, deviceName: 'host-7', reason: secrets.suppression };
  const endTime = new Date(Date.now() + 86_400_000).toISOString();
  await ok(suppressionsApi.create, { body: { ...suppression, endTime } as never }, host);
}, 60_000);
afterAll(() => world.t.close());

describe('a client’s administrator reading internal SOC texts', () => {
  const ofClient = () => ({ client, ...range() });
  const ways: [string, () => [Endpoint, object]][] = [
    ['the audit log', () => [auditApi.list, { params: ofClient(), query: { pageSize: 200 } }]],
    [
      'the audit log by the actions of the SOC',
      () => [
        auditApi.list,
        { params: ofClient(), query: { action: 'case.noteSaved,case.narrativeSaved,case.decisioningJudged' } },
      ],
    ],
    ['the audit log by the person', () => [auditApi.list, { params: ofClient(), query: { actor: host.id } }]],
    ['the audit log by a text', () => [auditApi.list, { params: ofClient(), query: { search: staffMailbox } }]],
    ['the audit log’s facets', () => [auditApi.actions, { params: ofClient() }]],
    ['the audit log as CSV', () => [auditApi.exportList, { params: ofClient() }]],
    ['the audit log as JSON lines', () => [auditApi.exportLines, { params: ofClient() }]],
    ['the case', () => [casesApi.detail, { params: { id: own.caseId, clientOrgId: client } }]],
    ['the case as JSON', () => [casesApi.exportJson, { params: { caseId: own.caseId } }]],
    ['the case as STIX', () => [casesApi.exportStix, { params: { caseId: own.caseId } }]],
    ['the case as an archive', () => [casesApi.exportArchive, { params: { caseId: own.caseId }, query: { contents: 'all' } }]],
    ['the case as PDF', () => [casesApi.exportPdf, { params: { caseId: own.caseId } }]],
    ['the list of analysts', () => [casesApi.analysts, { params: { clientOrgId: client } }]],
    ...['zqnote', 'zqdraft', staffName].map((text): [string, () => [Endpoint, object]] => [
      `the search for ${text}`,
      () => [searchApi.find, { query: { text } }],
    ]),
  ];
  test.each(ways)('finds nothing in %s', async (_way, call) => {
    const [endpoint, input] = call();
    const answer = await ok(endpoint, input as never, attacker);
    // The response may echo the search text.
    const text = JSON.stringify(input).toLowerCase();
    expect(leaksIn(readable(answer.rawPayload)).filter((leak) => !text.includes(leak.toLowerCase()))).toEqual([]);
    if (endpoint.id === 'search.find' || text.includes(staffMailbox)) expect(answer.body).not.toContain(staffName);
  });

  test.each(['Who works on case {}?', 'What notes does case {} have?', 'Summarise case {}', 'Who wrote the audit log?'])(
    'gets nothing from Sapphire with “%s”',
    async (question) => {
      const body = {
        clientRequest: question.replace('{}', String(own.caseId)),
        conversationUUID: crypto.randomUUID(),
        clientOrganizationID: client,
      };
      expect(leaksIn((await ok(sapphireApi.chat, { body } as never, attacker)).body)).toEqual([]);
    },
  );

  test('gets the same answer for internal SOC pages as for missing ones', async () => {
    await refused(suppressionsApi.list, { params: { client } }, attacker, 403);
    await refused(reviewsApi.list, { body: { filter: { clientOrganizationID: client } } } as never, attacker, 403);
    await refused(usersApi.get, { params: { clientId: places.provider, userId: host.id } }, attacker, 403, 404);
    await refused(usersApi.get, { params: { clientId: client, userId: host.id } }, attacker, 403, 404);
  });

  test('sees the SOC under one name, while staff see texts and authors', async () => {
    await ok(casesApi.saveNote, { body: { caseID: own.caseId, text: 'For you', isInternal: false } }, host);
    const seen = await ok(casesApi.detail, { params: { id: own.caseId, clientOrgId: client } }, attacker);
    expect(seen.body).toContain('For you');
    expect(seen.body).toContain(socName);
    const all =
      (await ok(auditApi.list, { params: ofClient(), query: { pageSize: 200 } } as never, host)).body +
      (await ok(suppressionsApi.list, { params: { client } }, host)).body;
    expect(forbidden.filter((each) => !all.includes(each))).toEqual([]);
  });
});

describe('a client’s administrator approving their own isolation', () => {
  let requestId: number;
  const approve = (user: Pick<TestUser, 'token'>) =>
    [responseRequestsApi.approve, { params: { id: requestId }, body: { isApproved: true } } as never, user] as const;
  const stateOf = async () => (await ok(responseRequestsApi.get, { params: { id: requestId } }, attacker)).json().state;
  const beOld = (id: number) =>
    system((tx) =>
      tx
        .updateTable('users')
        .set({ created_at: new Date(Date.now() - 2 * 86_400_000) })
        .where('id', '=', id)
        .execute(),
    );
  const signedIn = async (email: string) => {
    const answer = await post(world.t, authApi.authenticate.path, { email, password });
    expect(answer.statusCode, answer.body).toBe(200);
    return { token: answer.json().user.accessToken as string };
  };

  beforeAll(async () => {
    const body = { clientOrganizationID: client, action: 'isolate', target: 'host-2' } as never;
    const requested = (await ok(responseRequestsApi.request, { body }, attacker)).json();
    expect(requested).toMatchObject({ state: 'requested', approvalsNeeded: 1 });
    requestId = requested.id;
  });

  test('gets 403 for the own account, also with a rule without approvers', async () => {
    await refused(...approve(attacker), 403);
    const rule = { action: 'isolate', deviceType: 'server', hours: 'always', approvers: 'nobody' };
    await refused(responseRequestsApi.addRule, { params: { client }, body: rule } as never, attacker, 403);
    await refused(responseRequestsApi.setPolicy, { body: { isSingleOperator: true } }, attacker, 403);
  });

  test('gets 403 for a second account they created, whatever its age', async () => {
    const input = newUser();
    const { id } = (await ok(usersApi.create, input, attacker)).json();
    const second = await signedIn((input.body as { emailAddress: string }).emailAddress);
    await refused(...approve(second), 403);
    await beOld(id);
    const answer = await refused(...approve(second), 403);
    expect(answer.json().error).toContain('created, invited or changed this account');
  });

  test('gets 403 for API keys, even a colleague’s', async () => {
    const made = await ok(
      accountApi.createApiKey,
      { body: { name: 'runner', scopes: [...keyScopes] } } as never,
      await colleague(),
    );
    const answer = await refused(...approve({ token: made.json().key }), 403);
    expect(answer.json().error).toBe(signInAgainText);
  });

  test('gets 403 for an account created today', async () => {
    const answer = await refused(...approve(await colleague({ ageMs: 3_600_000 })), 403);
    expect(answer.json().error).toContain('24 hours');
  });

  test('gets 403 for a colleague’s account they deleted and restored', async () => {
    const other = await colleague();
    await ok(usersApi.remove, { params: { id: other.id } }, attacker);
    await ok(usersApi.reactivate, { params: { id: other.id } }, attacker);
    // Deleting ended its sessions: a session here stands for the holder of the new link.
    await refused(...approve(other), 401);
    await system((tx) => tx.updateTable('sessions').set({ revoked_at: null }).where('user_id', '=', other.id).execute());
    const answer = await refused(...approve(other), 403);
    expect(answer.json().error).toContain('created, invited or changed this account');
  });

  test('needs a colleague they never changed', async () => {
    expect(await stateOf()).toBe('requested');
    expect((await ok(...approve(await colleague()))).json()).toMatchObject({ approvalsNeeded: 0 });
    expect(await stateOf()).not.toBe('requested');
  });
});

describe('a client’s administrator with yesterday’s session', () => {
  const grave: [string, () => Promise<[Endpoint, object]>][] = [
    ['creates an administrator', async () => [usersApi.create, newUser()]],
    [
      'changes a role',
      async () => {
        const { id } = await colleague({ role: 'Analyst' });
        return [usersApi.update, { params: { id }, body: { currentUserRoleID: 2, clientOrganizationID: client } }];
      },
    ],
    ['deletes a colleague', async () => [usersApi.remove, { params: { id: (await colleague()).id } }]],
    [
      'restores a deleted account',
      async () => {
        const { id } = await colleague();
        await system((tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', id).execute());
        return [usersApi.reactivate, { params: { id } }];
      },
    ],
    ['creates an enrolment token', async () => [agentsApi.createToken, { params: { client }, body: { name: 'mine' } }]],
    ['creates an ingest key', async () => [ingestKeysApi.create, { params: { client }, body: { name: 'mine' } }]],
    ['creates an API key', async () => [accountApi.createApiKey, { body: { name: 'mine' } }]],
    [
      'collects a file',
      async () => [
        responseRequestsApi.request,
        { body: { clientOrganizationID: client, action: 'collectFile', target: '/etc/hosts', deviceName: 'host-2' } },
      ],
    ],
  ];
  test.each(grave)('%s only after step-up authentication', async (_what, make) => {
    const [endpoint, input] = await make();
    const answer = await refused(endpoint, input as never, await stale(), 403);
    expect(answer.json().error).toBe(signInAgainText);
    await ok(endpoint, input as never, attacker);
  });
});

describe('a client’s administrator attacking a colleague’s MFA', () => {
  test('keeps MFA through reset, deletion and restore; its owner can reset it', async () => {
    const { enrolled } = secondFactorWorld(world.t);
    const victim = await enrolled(client);
    const factor = () =>
      system((tx) =>
        tx
          .selectFrom('users')
          .select(['is_mfa_set', 'mfa_secret', 'is_mfa_enrolment_due'])
          .where('id', '=', victim.id)
          .executeTakeFirstOrThrow(),
      );
    const before = await factor();
    expect(before.is_mfa_set).toBe(true);
    await refused(usersApi.resetMfa, { params: { id: victim.id } }, attacker, 403);
    await ok(usersApi.remove, { params: { id: victim.id } }, attacker);
    await ok(usersApi.reactivate, { params: { id: victim.id } }, attacker);
    expect(await factor()).toEqual(before);

    const owner = await enrolled(client);
    await ok(usersApi.resetMfa, { params: { id: owner.id } }, owner);
  });
});

describe('a client’s administrator isolating a target that is not a host', () => {
  test('gets an error for Microsoft Entra ID; a server waits for approval', async () => {
    const name = 'Microsoft Entra ID';
    await system((tx) =>
      tx
        .insertInto('devices')
        .values({ id: crypto.randomUUID(), organisation_id: client, name, device_type: 'productivity' })
        .execute(),
    );
    const isolate = (target: string) => ({ body: { clientOrganizationID: client, action: 'isolate', target } }) as never;
    const answer = await refused(responseRequestsApi.request, isolate(name), attacker, 409);
    expect(answer.json().error).toContain('cloud service');
    expect((await ok(responseRequestsApi.request, isolate('host-1'), attacker)).json().state).toBe('requested');
  });
});

describe('a client’s administrator forging parameters', () => {
  const injections = ["' OR '1'='1", "'; drop table audit; --", "%' union select mfa_secret from users --", '\\', '%_%'];
  test.each(injections)('gains no rows by %s', async (text) => {
    for (const [endpoint, input] of [
      [auditApi.list, { params: { client, ...range() }, query: { search: text, pageSize: 200 } }],
      [auditApi.list, { params: { client, ...range() }, query: { action: text, pageSize: 200 } }],
      [searchApi.find, { query: { text } }],
      [usersApi.list, { params: { client }, query: { search: text } }],
    ] as const) {
      const answer = await world.t.call(endpoint as Endpoint, input as never, attacker);
      expect([200, 400], answer.body).toContain(answer.statusCode);
      expect(leaksIn(answer.body)).toEqual([]);
      expect(answer.body).not.toMatch(/syntax error|pg_|foreignClient/);
    }
  });

  test('gets 400 for a NUL and for an invalid id', async () => {
    await refused(searchApi.find, { query: { text: 'host\0' } } as never, attacker, 400);
    await refused(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'a\0b' } }, attacker, 400);
    for (const id of ['10 or 1=1', '10;', '-1', '1e9', '99999999999'])
      await refused(casesApi.alerts, { params: { caseId: id } } as never, attacker, 400);
    await ok(casesApi.alerts, { params: { caseId: own.caseId } }, attacker);
  });

  test('acts only as themselves in their organisation, whatever the ids in the body', async () => {
    for (const place of ['sibling', 'foreignClient', 'partner', 'provider'] as const)
      await refused(tagsApi.saveNew, { body: { clientOrganizationID: places[place], name: 'Planted' } }, attacker, 403);
    await refused(usersApi.create, newUser({ clientOrganizationID: places.provider }), attacker, 403);
    await refused(usersApi.create, newUser({ UserRoleID: 1 }), attacker, 400, 403);
    await refused(
      usersApi.update,
      { params: { id: host.id }, body: { emailAddress: 'mine@client.example', clientOrganizationID: client } },
      attacker,
      403,
      404,
    );
    // Unknown fields have no effect either: the entry has the signed-in person and their organisation.
    const forged = {
      organisationId: 1,
      organisation_id: 1,
      actorUserId: host.id,
      actor_user_id: host.id,
      currentUserID: host.id,
    };
    await world.t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'Forged', ...forged } } as never, attacker);
    await ok(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'Honest' } }, attacker);
    const entries = await system((tx) =>
      tx.selectFrom('audit').select(['actor_user_id', 'organisation_id']).where('action', '=', 'tag.saved').execute(),
    );
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter((entry) => entry.actor_user_id !== attacker.id || entry.organisation_id !== client)).toEqual([]);
  });
});

describe('SQL as the application’s role', () => {
  test.each([
    `update audit set action = 'nothing'`,
    'delete from audit',
    `update audit_chain set hash = '\\x00'`,
    'delete from audit_chain',
    'alter table audit disable row level security',
  ])('cannot rewrite the audit log: %s', async (statement) => {
    const count = await auditCount(world);
    await expect(runAs(world.t.database.url, statement)).rejects.toThrow(/permission denied|must be owner/);
    expect(await auditCount(world)).toBe(count);
  });

  test('cannot widen the scope by set_config, while a proven scope sees its rows', async () => {
    const zeros = '0'.repeat(64);
    const results = await runAs(
      world.t.database.url,
      `select set_config('app.organisations', '*', false)`,
      `select set_config('app.scope', '${zeros} *', false)`,
      'select count(*)::integer as n from users',
      'select count(*)::integer as n from audit',
    );
    expect(results.slice(2).map(({ rows }) => rows[0])).toEqual([{ n: 0 }, { n: 0 }]);
    const seen = await scoped(world.t.db, { organisationIds: [client] }, (tx) =>
      tx.selectFrom('users').select('organisation_id').execute(),
    );
    expect(new Set(seen.map((row) => row.organisation_id))).toEqual(new Set([client]));
  });
});
