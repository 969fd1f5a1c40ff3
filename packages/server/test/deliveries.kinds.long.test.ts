/** Every kind of target against its simulated system, from an event in the database to what arrived. */
import { targetKinds } from '@parapet/connectors/out/all.ts';
import { deliveryEventValues } from '@parapet/contract/rules/deliveries.ts';
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import type { startElasticsearch } from '@parapet/world/peers/elasticsearch.ts';
import { startJira } from '@parapet/world/peers/jira.ts';
import { startPagerDuty } from '@parapet/world/peers/pagerduty.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import * as AdaptiveCards from 'adaptivecards';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { retryMs } from '../src/features/deliveries/deliveries.turn.ts';
import { rotated } from '../src/features/deliveries/deliveries.vault.ts';
import { openApiDocument } from '../src/openapi.ts';
import { type DeliveriesFixture, deliveriesFixture, everything, verifiedWebhook } from './deliveries.fixture.ts';
import { ticketWork } from './tickets.fixture.ts';

/** Kinds whose messages leave by a request. */
const kinds = targetKinds.filter(({ isInside }) => !isInside).map(({ id }) => id);
const hostile = '<!channel> *bold* [x](https://evil.example) <script>&\u0007 {to} @here';

const sentEvents = [
  'case.opened',
  'case.verdict',
  'response.approvalNeeded',
  'source.silent',
  'alert.raised',
  'vulnerability.found',
  'vulnerability.fixed',
  'report.ready',
  'case.slaWarning',
  'digest.weekly',
];
const digest = {
  until: '2026-11-23T06:00:00.000Z',
  open: { critical: 1, high: 0, medium: 2, low: 0, informational: 0 },
  opened: 4,
  closed: 3,
  waiting: 1,
  minutesToAcknowledge: 12.3456,
  minutesToContain: null,
  minutesToClose: 300,
};
const vulnerable = {
  ...{ device: `SRV ${hostile}`, deviceId: '0b5c6a1f-0000-4000-8000-000000000001', source: 'agent', count: 1 },
  vulnerabilities: [
    {
      ...{ id: 1, cve: 'CVE-2026-1', title: hostile, severity: 'high', cvss: 8.1, isExploited: false },
      ...{ package: hostile, installedVersion: '1', fixedVersion: null },
    },
  ],
};

let jira: Awaited<ReturnType<typeof startJira>>;
let pagerduty: Awaited<ReturnType<typeof startPagerDuty>>;
let peers: Record<string, Peer>;
let t: DeliveriesFixture;
let client: number;
const targets: Record<string, { id: number; secret: string }> = {};

beforeAll(async () => {
  [jira, pagerduty] = [await startJira(), await startPagerDuty()];
  peers = { jira, pagerduty };
  for (const kind of kinds) peers[kind] ??= await startPeer[kind]!();
  t = await deliveriesFixture(Object.values(peers));
  client = await t.organisation({ name: 'Alder & Söhne' });
  for (const kind of kinds) {
    targets[kind] = await t.target(client, peers[kind]!);
    await t.rule(client, everything(targets[kind].id));
    if (targetKinds.find(({ id }) => id === kind)!.tickets)
      await ticketWork(t).setUp({ organisationId: client, targetId: targets[kind].id }, peers[kind] as PsaPeer, client);
  }
});
afterAll(async () => {
  await t.close();
  await Promise.all(Object.values(peers).map((peer) => peer.close()));
});

const received = (kind: string) => peers[kind]!.received;
const last = (kind: string) => received(kind).at(-1)!;
const sendAll = async () => {
  await t.worker().drain();
};
const changeStatus = async (id: number, version: number, status: 'investigating' | 'closed', previousStatus: string) => {
  await scoped(t.db, 'system', (tx) => tx.updateTable('cases').set({ status, version }).where('id', '=', id).execute());
  await t.queue(client, { event: 'case.statusChanged', objectId: id, occasion: version, status, facts: { previousStatus } });
  await sendAll();
};

describe.each(kinds)('the target %s', (kind) => {
  test('accepts every event of the catalogue', async () => {
    const objectId = await t.case(client, { title: hostile, verdict: 'Malicious', confidence: 92 });
    await t.queue(
      client,
      { event: 'case.opened', objectId },
      { event: 'case.verdict', objectId, occasion: 1 },
      {
        event: 'response.approvalNeeded',
        objectId,
        facts: { response: `Isolate ${hostile}`, case: null, decideBy: '2026-11-26T10:00:00.000Z' },
      },
      {
        event: 'source.silent',
        objectId,
        facts: { sources: ['SRV-01', 'SRV-02'], count: 25, since: '2026-11-25T22:10:00.000Z' },
      },
      {
        event: 'alert.raised',
        objectId,
        facts: { title: hostile, criticality: 4, summary: hostile, device: hostile, events: [] },
      },
      { event: 'vulnerability.found', objectId, facts: vulnerable },
      { event: 'vulnerability.fixed', objectId, facts: vulnerable },
      { event: 'report.ready', objectId, occasion: '2026-10', facts: { month: '2026-10' } },
      { event: 'case.slaWarning', objectId, facts: { timer: 'contain', isMissed: false, targetMinutes: 60 } },
      { event: 'digest.weekly', objectId, facts: digest },
    );
    await sendAll();
    const rows = (await t.rows(targets[kind]!.id)).filter((row) => row.object_id === objectId);
    expect(rows.map(({ event, state, words }) => ({ event, state, words }))).toEqual(
      sentEvents.map((event) => ({
        event,
        state: 'accepted',
        words: null,
      })),
    );
  });

  test('stores request and answer without its secrets', async () => {
    const [row] = await t.rows(targets[kind]!.id);
    expect(row!.request).not.toBe('');
    const secretNames = targetKinds.find(({ id }) => id === kind)!.fields.filter(({ isSecret }) => isSecret);
    const secrets = [...secretNames.map(({ name }) => peers[kind]!.values[name]!), targets[kind]!.secret].filter(Boolean);
    for (const secret of secrets) expect(`${row!.request}${row!.answer}${row!.words}`).not.toContain(secret);
    expect(secrets.length).toBeGreaterThan(0);
  });

  test('sends no note, no internal text and no name of a person', async () => {
    const marker = 'INTERNAL-MARKER';
    const objectId = await t.case(client, {
      analyst_name: marker,
      analyst_email: `${marker}@soc.example`,
      summary: marker,
      decision_notes: marker,
    });
    await scoped(t.db, 'system', async (tx) => {
      const { id: author } = await tx
        .insertInto('users')
        .values({ organisation_id: client, email: `${kind}@x.example`, first_name: marker, last_name: marker, role: 'Analyst' })
        .returning('id')
        .executeTakeFirstOrThrow();
      await tx
        .insertInto('case_notes')
        .values({
          organisation_id: client,
          case_id: objectId,
          author_user_id: author,
          author_name: marker,
          text: marker,
          is_internal: true,
        })
        .execute();
    });
    await t.queue(client, { event: 'case.opened', objectId }, { event: 'case.verdict', objectId, occasion: 2 });
    const before = received(kind).length;
    await sendAll();
    const bodies = received(kind)
      .slice(before)
      .map(({ body, headers }) => body + JSON.stringify(headers));
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.join()).not.toContain(marker);
  });

  test('carries the partner’s brand and the client', async () => {
    const body = decodeURIComponent(last(kind).body.replaceAll('+', ' '));
    expect(body).toContain('Alder');
    if (kind !== 'webhook' && kind !== 'jira') expect(body).toContain('Harbor Security');
    expect(body).toContain('https://portal.example/');
  });
});

describe('a webhook', () => {
  test('verifies with the published library, during a rotation with both secrets', async () => {
    const { id, secret } = targets.webhook!;
    const verify = (by: string) => verifiedWebhook(by, last('webhook'));
    expect(verify(secret)).toMatchObject({ type: 'case.verdict', data: { organisation: client } });
    const kind = targetKinds.find((each) => each.id === 'webhook')!;
    const next = rotated(kind, { secret }, t.clock.now())!;
    const sealed = await t.deps.vault.seal(client, id, next.secrets);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('delivery_targets')
        .set({ secrets: sealed, settings: JSON.stringify({ ...peers.webhook!.values, ...next.settings }) })
        .where('id', '=', id)
        .execute(),
    );
    await t.queue(client, { event: 'case.opened', objectId: await t.case(client) });
    await sendAll();
    expect(verify(secret)).toEqual(verify(next.secret));
    expect(() => verify('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).toThrow('No matching signature found');
    t.forward(25 * hourMs);
    await t.queue(client, { event: 'case.opened', objectId: await t.case(client) });
    await sendAll();
    expect(verify(next.secret)).toMatchObject({ type: 'case.opened' });
    expect(() => verify(secret)).toThrow('No matching signature found');
  });
});

test.each(['webhook', 'slack', 'teams', 'sms'] as const)('the target %s accepts a digest', async (kind) => {
  const organisation = await t.organisation({ name: hostile });
  const { id } = await t.target(organisation, peers[kind]!);
  await t.rule(organisation, { ...everything(id), digestMinutes: 15 });
  for (const title of ['Beacon', hostile])
    await t.queue(organisation, { event: 'case.opened', objectId: await t.case(organisation, { title }) });
  t.forward(15 * minuteMs);
  await sendAll();
  expect((await t.rows(id)).map(({ state, words }) => ({ state, words }))).toEqual(
    Array.from({ length: 2 }, () => ({ state: 'accepted', words: null })),
  );
  expect(decodeURIComponent(last(kind).body.replaceAll('+', ' '))).toMatch(/Digest: 2 events|digest\.events/);
});

describe('the bodies of webhooks', () => {
  test('match the schemas that the OpenAPI document publishes', () => {
    const { webhooks } = openApiDocument() as {
      webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>;
    };
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const seen = new Set<string>();
    for (const { body } of received('webhook')) {
      const sent = JSON.parse(body);
      seen.add(sent.type);
      const validate = ajv.compile(webhooks[sent.type]!.post.requestBody.content['application/json']!.schema);
      expect(validate(sent), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...sent, data: {} })).toBe(false);
    }
    expect(Object.keys(webhooks)).toEqual([...deliveryEventValues, 'digest.events', 'test']);
    expect([...seen].sort()).toEqual(
      [
        ...deliveryEventValues.filter((event) => event !== 'case.statusChanged' && event !== 'case.acknowledged'),
        'digest.events',
      ].sort(),
    );
  });
});

describe('a message to Slack', () => {
  test('shows hostile text as text and mentions no person', async () => {
    await t.queue(client, { event: 'case.opened', objectId: await t.case(client, { title: hostile }) });
    await sendAll();
    const { text, blocks } = JSON.parse(last('slack').body);
    expect(text).not.toMatch(/[<>]/);
    expect(text).toContain('&lt;!channel&gt;');
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
  });
});

describe('a card for Teams', () => {
  test('parses and validates with the published renderer, and formats no hostile text', () => {
    const { attachments } = JSON.parse(last('teams').body);
    const card = new AdaptiveCards.AdaptiveCard();
    const context = new AdaptiveCards.SerializationContext();
    card.parse(attachments[0].content, context);
    expect(context.eventCount).toBe(0);
    expect(card.validateProperties().validationEvents).toEqual([]);
    expect(card.getItemCount()).toBe(3);
    expect(attachments[0].content.body[1].text).toContain('\\*bold\\* \\[x\\](https://evil.example)');
  });
});

describe('a button that acknowledges', () => {
  test('comes with messages to a partner, and with none to a client', async () => {
    const owner = await t.organisation({ isPartner: true });
    const { id } = await t.target(owner, peers.teams!);
    await t.rule(owner, { ...everything(id), events: ['case.opened'] });
    const own = await t.organisation({ parentId: owner });
    const titles = async (caseOf: number) => {
      await t.queue(caseOf, { event: 'case.opened', objectId: await t.case(caseOf) });
      await sendAll();
      return JSON.parse(last('teams').body).attachments[0].content.actions.map(({ title }: { title: string }) => title);
    };
    expect(await titles(own)).toEqual(['Acknowledge', 'Open in the portal']);
    expect(await titles(client)).toEqual(['Open in the portal']);
  });
});

describe('an incident in PagerDuty', () => {
  test('follows its case from trigger to resolution, without a rule for changes', async () => {
    const own = await t.organisation();
    const { id: target } = await t.target(own, pagerduty);
    await t.rule(own, { ...everything(target), events: ['case.opened'] });
    const id = await t.case(own);
    await t.queue(own, { event: 'case.opened', objectId: id });
    await sendAll();
    const key = `case-${id}@${own}`;
    expect(pagerduty.incidents.get(key)).toBe('triggered');
    const set = async (version: number, status: 'investigating' | 'closed') => {
      await scoped(t.db, 'system', (tx) => tx.updateTable('cases').set({ status, version }).where('id', '=', id).execute());
      await t.queue(own, { event: 'case.statusChanged', objectId: id, occasion: version, status });
      await sendAll();
    };
    await set(2, 'investigating');
    expect(pagerduty.incidents.get(key)).toBe('acknowledged');
    await set(3, 'closed');
    expect(pagerduty.incidents.get(key)).toBe('resolved');
    expect((await t.rows(target)).map(({ accepted_id: accepted }) => accepted)).toEqual([key, key, key]);
  });
});

describe('a request in Jira', () => {
  test('follows its case: opened, commented on, resolved', async () => {
    const id = await t.case(client, { title: 'Beacon from WS-07' });
    await t.queue(client, { event: 'case.opened', objectId: id });
    await sendAll();
    const issue = jira.issues.at(-1)!;
    expect(issue).toMatchObject({ status: 'Open', summary: `Case opened: #${id} Beacon from WS-07 [${client}-case-${id}]` });
    await changeStatus(id, 2, 'investigating', 'open');
    expect(issue.comments).toHaveLength(1);
    await changeStatus(id, 3, 'closed', 'investigating');
    expect(issue).toMatchObject({ status: 'Resolved' });
    expect((await t.rows(targets.jira!.id)).at(-1)).toMatchObject({
      state: 'accepted',
      accepted_id: `${issue.issueKey} comment 20002`,
    });
  });

  test('stays the only one when the answer was lost', async () => {
    const id = await t.case(client);
    jira.disturb({ kind: 'reset' });
    const before = jira.issues.length;
    await t.queue(client, { event: 'case.opened', objectId: id });
    await sendAll();
    t.forward(retryMs(1, 1) + 1);
    await sendAll();
    expect(jira.issues).toHaveLength(before + 1);
    expect((await t.rows(targets.jira!.id)).at(-1)).toMatchObject({
      state: 'accepted',
      attempts: 2,
      accepted_id: jira.issues.at(-1)!.issueKey,
    });
  });

  test('ends its deliveries in words once it was deleted', async () => {
    const id = await t.case(client);
    await t.queue(client, { event: 'case.opened', objectId: id });
    await sendAll();
    const { issueKey } = jira.issues.pop()!;
    await changeStatus(id, 2, 'investigating', 'open');
    expect((await t.rows(targets.jira!.id)).at(-1)).toMatchObject({
      state: 'givenUp',
      words: `Jira no longer has the request ${issueKey}, or the account can’t see it.`,
    });
  });
});

describe('a document in Elasticsearch', () => {
  test('stays one when the answer was lost', async () => {
    const elasticsearch = peers.elasticsearch as Awaited<ReturnType<typeof startElasticsearch>>;
    const before = elasticsearch.documents.size;
    elasticsearch.disturb({ kind: 'reset' });
    await t.queue(client, { event: 'case.opened', objectId: await t.case(client) });
    await sendAll();
    t.forward(retryMs(1, 1) + 1);
    await sendAll();
    const row = (await t.rows(targets.elasticsearch!.id)).at(-1)!;
    expect(row).toMatchObject({ state: 'accepted', attempts: 2, accepted_id: row.message_id });
    expect(elasticsearch.documents.size).toBe(before + 1);
    expect(elasticsearch.documents.get(row.message_id)).toMatchObject({
      event: { action: 'case.opened', provider: 'Harbor Security' },
    });
  });
});

describe('an event in Splunk', () => {
  test('ends in words for a wrong index', async () => {
    const own = await t.organisation();
    const { id } = await t.target(own, peers.splunk!, { index: 'other' });
    await t.rule(own, everything(id));
    await t.queue(own, { event: 'case.opened', objectId: await t.case(own) });
    await sendAll();
    expect((await t.rows(id))[0]).toMatchObject({ state: 'givenUp', words: 'Splunk returned 400: Incorrect index' });
  });
});

describe('a text message', () => {
  test('fits one short line with the address, whatever the title has in it', () => {
    const text = new URLSearchParams(received('sms')[0]!.body).get('Body')!;
    expect(text.length).toBeLessThanOrEqual(300);
    expect(text).toMatch(/^Harbor Security: Alder & Söhne: Case opened: #\d+ .* https:\/\/portal\.example\/apps\/case\/\d+$/);
    expect(new URLSearchParams(received('sms')[0]!.body).get('To')).toBe('+15550123');
  });
});
