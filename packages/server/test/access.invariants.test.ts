/** Invariants of the access table: calls with several ids, actor ids in bodies, and tenant isolation beneath the stores. */
import { endpoints } from '@parapet/contract/api.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { accessFixture, type Person, places, writesOf } from './access.fixture.ts';
import { confirmBody } from './access.probes.billing.ts';
import { ticketSetupBody } from './access.probes.deliveries.ts';
import type { Input } from './access.probes.kinds.ts';
import { probes } from './access.probes.ts';
import { everything } from './deliveries.fixture.ts';
import { useFixture } from './use.ts';

/** Planted fault: while on, stores apply no scope of their own. */
const fault = vi.hoisted(() => ({ isOn: false }));
vi.mock('../src/core/db/within.ts', async (original) => {
  const { within } = await original<typeof import('../src/core/db/within.ts')>();
  const { sql } = await import('kysely');
  return { within: (...given: Parameters<typeof within>) => (fault.isOn ? sql<boolean>`true` : within(...given)) };
});

const world = useFixture(accessFixture, (fixture) => fixture.t.close());

const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
const call = (id: string, input: Input, person: Person) => {
  const endpoint = byId.get(id) as Endpoint;
  return world.t.call(endpoint, input as never, world.users[person]);
};
const strong = 'Ein-Langes-Wort-2026!';

const connections = (body?: object) => (): Input[] =>
  (
    [
      ['client', 'foreignClient'],
      ['foreignClient', 'client'],
      ['sibling', 'client'],
    ] as const
  ).map(([place, owner]) => ({
    params: { client: places[place], connection: world.things[owner].connectionId },
    ...(body && { body }),
  }));

const webhooks = (body?: object) => (): Input[] =>
  (
    [
      ['client', 'foreignClient'],
      ['foreignClient', 'client'],
      ['sibling', 'client'],
    ] as const
  ).map(([place, owner]) => ({
    params: { client: places[place], source: world.things[owner].webhookId },
    ...(body && { body }),
  }));

const deliveryParts = (body?: object) => (): Input[] =>
  (
    [
      ['client', 'foreignClient'],
      ['foreignClient', 'client'],
      ['sibling', 'client'],
    ] as const
  ).map(([place, owner]) => ({
    params: {
      client: places[place],
      target: world.things[owner].targetId,
      delivery: world.things[owner].deliveryId,
      rule: world.things[owner].deliveryRuleId,
    },
    ...(body && { body }),
  }));

/** Inputs with one id inside and one outside the scope of Harbor-like `partnerAdmin`. */
const mixed: Record<string, () => Input[]> = {
  'users.get': () => [
    { params: { clientId: places.client, userId: world.things.foreignClient.userId } },
    { params: { clientId: places.foreignClient, userId: world.things.client.userId } },
    { params: { clientId: places.sibling, userId: world.things.client.userId } },
  ],
  'users.update': () => [
    { params: { id: world.things.client.userId }, body: { firstName: 'Moved', clientOrganizationID: places.foreignClient } },
    { params: { id: world.things.client.userId }, body: { firstName: 'Moved', clientOrganizationID: places.sibling } },
    { params: { id: world.things.foreignClient.userId }, body: { firstName: 'Moved', clientOrganizationID: places.client } },
  ],
  'users.changePassword': () => [
    {
      params: { id: world.things.client.userId },
      body: { newPassword: strong, confirmNewPassword: strong, clientOrganizationID: places.foreignClient },
    },
    {
      params: { id: world.things.foreignClient.userId },
      body: { newPassword: strong, confirmNewPassword: strong, clientOrganizationID: places.client },
    },
  ],
  'ingestKeys.revoke': () => [
    { params: { client: places.client, key: world.things.foreignClient.keyId } },
    { params: { client: places.foreignClient, key: world.things.client.keyId } },
    { params: { client: places.sibling, key: world.things.client.keyId } },
  ],
  'connections.testStored': connections(),
  'connections.pause': connections({ isPaused: true }),
  'connections.read': connections(),
  'connections.setIncidentMode': connections({ incidentMode: 'read' }),
  'connections.replaceSecrets': connections({ values: {} }),
  'connections.remove': connections(),
  'webhookSources.saveMapping': webhooks({ mapping: { namespace: 'acme', records: [], fields: [] }, version: 1 }),
  'webhookSources.versions': webhooks(),
  'webhookSources.pause': webhooks({ isPaused: true }),
  'webhookSources.replaceSecret': webhooks(),
  'webhookSources.remove': webhooks(),
  'deliveries.updateTarget': deliveryParts({ name: 'Moved', isPaused: true, quiet: null }),
  'deliveries.replaceSecrets': deliveryParts({ values: {} }),
  'deliveries.test': deliveryParts(),
  'deliveries.removeTarget': deliveryParts(),
  'deliveries.ticketSetup': deliveryParts(),
  'deliveries.saveTicketSetup': deliveryParts(ticketSetupBody),
  'deliveries.tickets': deliveryParts(),
  'deliveries.openCallbacks': deliveryParts({ secret: '' }),
  'deliveries.closeCallbacks': deliveryParts(),
  'deliveries.syncTickets': deliveryParts(),
  'deliveries.list': deliveryParts(),
  'deliveries.get': deliveryParts(),
  'deliveries.replay': deliveryParts(),
  'deliveries.replayAll': deliveryParts(),
  'billing.compare': () => deliveryParts()().map((input) => ({ ...input, query: { month: confirmBody.month } })),
  'billing.saveLines': deliveryParts({ lines: [] }),
  'billing.confirm': deliveryParts(confirmBody),
  'deliveries.createRule': () => [
    { params: { client: places.client }, body: everything(world.things.foreignClient.targetId) },
    { params: { client: places.client }, body: { ...everything(world.things.client.targetId), clientId: places.foreignClient } },
    { params: { client: places.client }, body: { ...everything(world.things.client.targetId), clientId: places.sibling } },
  ],
  'deliveries.updateRule': () => [
    {
      params: { client: places.client, rule: world.things.client.deliveryRuleId },
      body: everything(world.things.foreignClient.targetId),
    },
    {
      params: { client: places.sibling, rule: world.things.client.deliveryRuleId },
      body: everything(world.things.client.targetId),
    },
  ],
  'deliveries.removeRule': deliveryParts(),
  'onCall.saveShifts': () => [
    {
      params: { client: places.client },
      body: {
        zone: 'UTC',
        shifts: [{ userId: world.things.foreignClient.userId, place: 1, days: [1], from: 0, to: 60 }],
      },
    },
  ],
  'onCall.addOverride': () => [
    {
      params: { client: places.client },
      body: { userId: world.things.foreignClient.userId, place: 1, starts: '2036-01-01T00:00:00Z', ends: '2036-01-02T00:00:00Z' },
    },
  ],
  'onCall.removeOverride': () => [
    { params: { client: places.client, override: world.things.foreignClient.overrideId } },
    { params: { client: places.foreignClient, override: world.things.client.overrideId } },
    { params: { client: places.sibling, override: world.things.client.overrideId } },
  ],
  'deliveries.preview': () => [
    { params: { client: places.client }, body: everything(world.things.foreignClient.targetId) },
    { params: { client: places.client }, body: { ...everything(world.things.client.targetId), clientId: places.foreignClient } },
  ],
  'tags.tagDevices': () => [
    {
      body: {
        devices: [world.things.client.deviceId, world.things.foreignClient.deviceId],
        tags: [{ id: world.things.client.tagId, isDeleted: false }],
      },
    },
    { body: { devices: [world.things.client.deviceId], tags: [{ id: world.things.foreignClient.tagId, isDeleted: false }] } },
    { body: { devices: [world.things.client.deviceId], tags: [{ id: world.things.sibling.tagId, isDeleted: false }] } },
  ],
  'cases.detail': () => [
    { params: { id: world.things.client.caseId, clientOrgId: places.sibling } },
    { params: { id: world.things.foreignClient.caseId, clientOrgId: places.client } },
    { params: { id: world.things.client.caseId, clientOrgId: places.foreignClient } },
  ],
  'cases.saveNarrative': () => [
    { params: { clientId: places.sibling }, body: { caseID: world.things.client.caseId, text: 'Mixed' } },
    { params: { clientId: places.client }, body: { caseID: world.things.foreignClient.caseId, text: 'Mixed' } },
    {
      params: { clientId: places.client },
      body: { caseID: world.things.client.caseId, id: world.things.sibling.narrativeId, text: 'x' },
    },
  ],
  'cases.addAlert': () => [
    { body: { caseID: world.things.client.caseId, alertID: world.things.foreignClient.alertId } },
    { body: { caseID: world.things.client.caseId, alertID: world.things.sibling.alertId } },
    { body: { caseID: world.things.foreignClient.caseId, alertID: world.things.client.alertId } },
  ],
  'cases.changeAnalyst': () => [
    { body: { caseID: world.things.client.caseId, analystUserAccountID: world.things.foreignClient.userId } },
    { body: { caseID: world.things.client.caseId, analystUserAccountID: world.things.sibling.userId } },
  ],
  'responses.isolateHost': () => [
    { body: { caseID: world.things.client.caseId, deviceID: world.things.sibling.deviceId, isIsolated: true } },
    { body: { caseID: world.things.client.caseId, deviceID: world.things.foreignClient.deviceId, isIsolated: true } },
  ],
  'responseDesk.request': () =>
    [
      [places.client, world.things.foreignClient.caseId],
      [places.client, world.things.sibling.caseId],
      [places.foreignClient, world.things.client.caseId],
    ].map(([clientOrganizationID, caseID]) => ({ body: { clientOrganizationID, caseID, action: 'isolate', target: 'host-1' } })),
  'vulnerabilities.accept': () =>
    [places.sibling, places.foreignClient].map((client) => ({
      params: { client, finding: world.things.client.findingId },
      body: { isAccepted: true, reason: 'Mixed', until: new Date(Date.now() + 86_400_000).toISOString() },
    })),
  'connectionInvites.revoke': () =>
    [places.sibling, places.foreignClient].map((client) => ({
      params: { client, invite: world.things.client.inviteId },
    })),
  'imports.upload': () =>
    [places.sibling, places.foreignClient].map((client) => ({
      params: { client, import: world.things.client.importId },
      body: {},
    })),
  'vulnerabilities.uploadScan': () =>
    [places.sibling, places.foreignClient].map((client) => ({
      params: { client, device: world.things.client.deviceId },
      body: { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] },
    })),
  'caseMails.sendEscalation': () => [
    { body: { caseID: world.things.client.caseId, caseNarrativeID: world.things.sibling.narrativeId } },
    { body: { caseID: world.things.client.caseId, caseNarrativeID: world.things.foreignClient.narrativeId } },
  ],
  'caseMails.sendUpdate': () => [
    { body: { caseID: world.things.client.caseId, caseNarrativeID: world.things.sibling.narrativeId } },
  ],
  'caseMails.sendCustom': () =>
    [places.sibling, places.foreignClient].map((clientId) => ({
      params: { clientId },
      body: { caseID: world.things.client.caseId, to: ['reader@test.example'], subject: 'Mixed', text: 'Mixed' },
    })),
  'caseMails.listOfCase': () => [
    { params: { clientOrgId: places.sibling }, query: { caseId: world.things.client.caseId } },
    { params: { clientOrgId: places.client }, query: { caseId: world.things.foreignClient.caseId } },
  ],
  'sapphire.addKnowledge': () => [
    { params: { client: places.sibling }, body: { text: 'Mixed', questionID: world.things.client.questionId } },
    { params: { client: places.client }, body: { text: 'Mixed', questionID: world.things.foreignClient.questionId } },
  ],
  'sapphire.reviewKnowledge': () =>
    [places.sibling, places.foreignClient].map((client) => ({
      params: { client, knowledge: world.things.client.knowledgeId },
      body: { state: 'approved' },
    })),
  'sapphire.setTeacher': () =>
    [places.sibling, places.foreignClient].map((client) => ({
      params: { client, user: world.things.client.userId },
      body: { isTeacher: true },
    })),
  'organisations.move': () => [
    { params: { id: places.client }, body: { partnerClientOrgID: places.otherPartner } },
    { params: { id: places.foreignClient }, body: { partnerClientOrgID: places.partner } },
  ],
};

/** Fields that identify a stored object. Actor ids are ignored and tested separately. */
function idsOf(endpoint: Endpoint): string[] {
  const names: string[] = [];
  const walk = (node: { properties?: Record<string, never>; items?: never }) => {
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      if (
        /^(id|client|key|devices|tags)$|I[dD]$/.test(name) &&
        !/^(currentUserID|UserRoleID|currentUserRoleID|subscriptionLevelID)$/.test(name)
      )
        names.push(name);
      else walk(property);
    }
    if (node.items) walk(node.items);
  };
  for (const part of ['params', 'query', 'body'] as const)
    walk(z.toJSONSchema(endpoint[part], { io: 'input', unrepresentable: 'any' }) as never);
  return names;
}

/** Calls with an organisation and objects that are looked up within that organisation. */
const oneOnly: Record<string, string> = {
  'organisations.updateEscalation': 'addresses are covered by organisations.test.ts',
  'cases.saveNote': 'notes are looked up by case; see cases.writing.test.ts',
  'caseMails.preview': 'narratives are looked up by case; see caseMails.test.ts',
  'reviews.updateAnalyst': 'reviews are looked up by case; see reviews.test.ts',
  'reviews.updateDecision': 'the second id is a kind of decision',
  'responses.issueBlockToken': 'the user is a name in the case',
  'caseGrouping.changeState': 'the second id is a preview of the same set; see correlation.grouping.test.ts',
  'intelligenceFeeds.change': 'the second id is a collection of the feed’s server',
  'rulePacks.getItem': 'the second id is a rule of the import; see packs.test.ts',
  'rulePacks.decide': 'the second id is a rule of the import; see packs.test.ts',
  'rules.get': 'the second id is a rule; see rules.test.ts',
  'rules.saveDraft': 'the second id is a rule; see rules.test.ts',
  'rules.saveOverride': 'the second id is a rule; see rules.test.ts',
  'rules.addException': 'the second id is a rule; see rules.test.ts',
  'rules.startPreview': 'the second id is a rule; see rules.test.ts',
  'rules.addTest': 'the second id is a rule; see rules.test.ts',
  'suppressions.create': 'the second id is a rule, which is global',
  'responseDesk.list': 'the second id only filters the rows of the first',
  'risk.savePractices': 'the second id is a practice, which is global',
  'sapphire.chat': 'other ids name actor and conversation, without effect on access',
  'sapphire.flag': 'answers are looked up by person; see sapphire.test.ts',
  'sapphire.feedback': 'answers are looked up by person; see sapphire.test.ts',
  'auth.stepUp': 'ids are the browser’s names of one credential; see passkeys.test.ts',
  'secondFactor.addPasskey': 'ids are the browser’s names of one new credential; see passkeys.test.ts',
  'events.search': 'the second id is only a page cursor',
  'events.keptAside': 'the second id is only a page cursor',
  'retention.decide': 'requests are looked up by client; see retention.clients.test.ts',
  'recalls.release': 'recalls are looked up by case; see recalls.test.ts',
};

test('covers every call with two ids', () => {
  const several = endpoints.filter((endpoint) => idsOf(endpoint).length > 1 && endpoint.allow !== 'anyone').map(({ id }) => id);
  expect(several.filter((id) => !mixed[id] && !oneOnly[id])).toEqual([]);
});

test.each(Object.keys(mixed))('denies %s with ids of two organisations and changes nothing', async (id) => {
  for (const person of ['partnerAdmin', 'partnerHost'] as const)
    for (const input of mixed[id]!()) {
      const before = await writesOf(world);
      const answer = await call(id, input, person);
      expect([person, JSON.stringify(input), answer.statusCode]).toEqual([
        person,
        JSON.stringify(input),
        expect.toSatisfy((status: number) => [400, 403, 404].includes(status), 'refused'),
      ]);
      expect(await writesOf(world)).toBe(before);
    }
});

test('ignores actor ids for the verdict and the audit log', async () => {
  const actors = {
    userID: world.users.host.id,
    currentUserID: world.users.host.id,
    updatingUserAccountId: world.users.host.id,
    userId: world.users.host.id,
  };
  for (const endpoint of endpoints) {
    const probe = probes[endpoint.id];
    if (!probe || endpoint.method === 'GET' || endpoint.upload || endpoint.id === 'auth.logout') continue;
    const isDenied = ({ statusCode }: { statusCode: number }) => statusCode === 403 || statusCode === 404;
    // Calls about different places have no object in common.
    await Promise.all(
      (['provider', 'foreignClient', 'client'] as const).map(async (place) => {
        for (const person of ['analyst', 'partnerManager'] as const) {
          const context = { id: places[place], place, things: world.things[place], world, person };
          const plain = await call(endpoint.id, await probe.input(context), person);
          const again = await probe.input(context);
          const posing = await call(endpoint.id, { ...again, body: { ...(again.body as object), ...actors } }, person);
          expect([endpoint.id, person, place, isDenied(posing)]).toEqual([endpoint.id, person, place, isDenied(plain)]);
        }
      }),
    );
  }
}, 120_000);

test('isolates tenants by row-level security when stores apply no scope', async () => {
  // Assignable analysts include the partner’s people; that no others are included is tested with the rest.
  const readers = endpoints.filter(
    ({ id, method, answers }) => method === 'GET' && answers === 'json' && probes[id]?.takesAll && id !== 'cases.analysts',
  );
  expect(readers.length).toBeGreaterThan(5);
  const foreign = [places.otherPartner, places.foreignClient, places.provider, places.providerClient] as number[];
  fault.isOn = true;
  try {
    let rows = 0;
    for (const endpoint of readers)
      for (const client of [0, places.client]) {
        const probe = probes[endpoint.id]!;
        const input = await probe.input({
          id: client,
          place: 'client',
          things: world.things.client,
          world,
          person: 'partnerAdmin',
        });
        const { body } = await call(endpoint.id, input, 'partnerAdmin');
        const named = [...body.matchAll(/"clientOrganizationID":(\d+)/g)].map(([, id]) => Number(id));
        rows += named.length;
        expect([endpoint.id, client, named.filter((id) => foreign.includes(id) || (client !== 0 && id !== client))]).toEqual([
          endpoint.id,
          client,
          [],
        ]);
      }
    expect(rows).toBeGreaterThan(10);
    for (const place of ['foreignClient', 'provider'] as const)
      for (const id of ['alerts.detail', 'outbox.get', 'users.remove']) {
        const input = await probes[id]!.input({
          id: places[place],
          place,
          things: world.things[place],
          world,
          person: 'partnerAdmin',
        });
        expect([id, place, (await call(id, input, 'partnerAdmin')).statusCode]).toEqual([id, place, 404]);
      }
    const found = (await call('search.find', { query: { text: 'host-1' } }, 'partnerAdmin')).json().results as {
      clientOrganizationID: number;
    }[];
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((row) => foreign.includes(row.clientOrganizationID))).toEqual([]);
  } finally {
    fault.isOn = false;
  }
});
