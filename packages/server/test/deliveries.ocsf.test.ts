/** OCSF as the format of targets: every event that arrives is accepted by schemas written from the published definitions. */
import { ocsfOf } from '@parapet/connectors/out/ocsf.ts';
import type { Message } from '@parapet/connectors/out/target.ts';
import { verdicts } from '@parapet/contract/rules/cases.ts';
import { deliveryEventValues } from '@parapet/contract/rules/deliveries.ts';
import { confidenceFrom, confidenceLevelOf } from '@parapet/contract/rules/judgement.ts';
import { startPeer } from '@parapet/world/peers/all.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture, everything, verifiedWebhook } from './deliveries.fixture.ts';
import { ocsfSchemas } from './schemas/ocsf.ts';

type Event = Record<string, unknown> & { class_uid: number; metadata: { event_code: string; uid: string } };

const kinds = ['webhook', 'splunk', 'elasticsearch'] as const;
const hostile = '<!channel> *bold* [x](https://evil.example) \u0007 "quoted"';
const vulnerabilityFacts = {
  device: 'SRV-01',
  deviceId: '0b5c6a1f-0000-4000-8000-000000000001',
  source: 'agent',
  count: 2,
  vulnerabilities: [
    {
      ...{ id: 7, cve: 'CVE-2026-1234', title: hostile, severity: 'critical', cvss: 9.8, isExploited: true },
      ...{ package: 'openssl', installedVersion: '3.0.1', fixedVersion: '3.0.2' },
    },
    {
      ...{ id: 8, cve: 'GHSA-aaaa-bbbb-cccc', title: '', severity: 'low', cvss: null, isExploited: false },
      ...{ package: 'left-pad', installedVersion: '1.0.0', fixedVersion: null },
    },
  ],
};
const alertFacts = {
  ...{
    title: 'Credentials read from LSASS',
    criticality: 4,
    summary: hostile,
    device: 'SRV-01',
    user: null,
    count: 2,
    case: null,
  },
  ...{ at: '2026-11-25T22:10:00.000Z', techniques: ['T1003.001', 'T1055'], tactics: ['credential-access'] },
  events: [{ '@timestamp': '2026-11-25T22:10:00.000Z', event: { code: '10' }, message: hostile }],
};
const ajv = new Ajv2020({ strict: false });
let peers: Record<string, Peer>;
let t: DeliveriesFixture;
let client: number;
let secret: string;
const targets: Record<string, number> = {};

beforeAll(async () => {
  peers = Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await startPeer[kind]!()] as const)));
  t = await deliveriesFixture(Object.values(peers));
  client = await t.organisation({ name: 'Alder & Söhne' });
  for (const kind of kinds) {
    const target = await t.target(client, peers[kind]!, { format: 'ocsf' });
    targets[kind] = target.id;
    if (kind === 'webhook') secret = target.secret;
    await t.rule(client, { ...everything(target.id) });
  }
});
afterAll(async () => {
  await t.close();
  await Promise.all(Object.values(peers).map((peer) => peer.close()));
});

/** The events of OCSF that a system received. */
const events = (kind: (typeof kinds)[number]): Event[] =>
  peers[kind]!.received.map(({ body }) => {
    if (kind === 'webhook') return JSON.parse(body);
    if (kind === 'splunk') return JSON.parse(body).event;
    const { '@timestamp': at, ...event } = JSON.parse(body.trimEnd().split('\n')[1]!);
    expect(Date.parse(at)).toBe(event.time);
    return event;
  });

const isValid = (event: Event): boolean => {
  const valid = ajv.validate(ocsfSchemas[event.class_uid]!, event);
  expect(valid, `${event.metadata.event_code} ${ajv.errorsText()}`).toBe(true);
  return valid;
};

describe.each(kinds)('the target %s', (kind) => {
  test('receives every event of the catalogue as OCSF', async () => {
    const objectId = await t.case(client, { title: hostile, verdict: 'Malicious', confidence: 92 });
    const facts: Record<string, Record<string, unknown>> = {
      'response.approvalNeeded': { response: `Isolate ${hostile}`, case: null, decideBy: '2026-11-26T10:00:00.000Z' },
      'source.silent': { sources: ['SRV-01'], count: 1, since: '2026-11-25T22:10:00.000Z' },
      'alert.raised': alertFacts,
      'vulnerability.found': vulnerabilityFacts,
      'vulnerability.fixed': vulnerabilityFacts,
      'report.ready': { month: '2026-10' },
      'digest.weekly': { until: '2026-11-23T06:00:00.000Z' },
      'case.slaWarning': { timer: 'close', isMissed: true, targetMinutes: 60 },
      'case.statusChanged': { previousStatus: 'open' },
    };
    const causes = deliveryEventValues.map((event) => ({ event, objectId, occasion: kind, facts: facts[event] ?? {} }));
    await t.queue(
      client,
      ...causes.map((cause) => (cause.event === 'case.statusChanged' ? { ...cause, status: 'closed' } : cause)),
    );
    await t.worker().drain();
    const rows = (await t.rows(targets[kind]!)).filter((row) => row.object_id === objectId);
    expect(rows.map(({ state, words }) => ({ state, words }))).toEqual(causes.map(() => ({ state: 'accepted', words: null })));
    const sent = events(kind);
    expect(sent.every(isValid)).toBe(true);
    expect(new Set(sent.map(({ metadata }) => metadata.event_code))).toEqual(new Set(deliveryEventValues));
    expect(new Set(sent.map((event) => event.class_uid))).toEqual(new Set([0, 2002, 2004, 2005]));
  });
});

test('states an alert as a Detection Finding with its rule, techniques, device and events', () => {
  const sent = events('webhook').find(({ metadata }) => metadata.event_code === 'alert.raised')!;
  expect(sent).toMatchObject({
    type_uid: 200401,
    severity: 'High',
    finding_info: {
      analytic: { type_id: 1, name: 'Credentials read from LSASS' },
      attacks: [{ technique: { uid: 'T1003' }, sub_technique: { uid: 'T1003.001' } }, { technique: { uid: 'T1055' } }],
      first_seen_time: Date.parse('2026-11-25T22:10:00.000Z'),
    },
    resources: [{ name: 'SRV-01', type: 'Device' }],
    evidences: [{ data: { event: { code: '10' } } }],
    unmapped: { count: 2, tactics: ['credential-access'] },
  });
  expect(sent.unmapped).not.toHaveProperty('events');
});

test('states the vulnerabilities of a device as Vulnerability Findings, until they are fixed', async () => {
  const sent = events('webhook')
    .filter(({ class_uid }) => class_uid === 2002)
    .slice(0, 2);
  expect(sent).toMatchObject([
    { type_uid: 200201, status: 'New', severity: 'Critical', resources: [{ name: 'SRV-01', type: 'Device' }] },
    { type_uid: 200203, status: 'Resolved', severity: 'Informational' },
  ]);
  const [found] = sent;
  expect(found!.vulnerabilities).toMatchObject([
    {
      cve: { uid: 'CVE-2026-1234' },
      ...{ severity: 'Critical', is_exploit_available: true, is_fix_available: true },
      affected_packages: [{ name: 'openssl', version: '3.0.1', fixed_in_version: '3.0.2' }],
    },
    { cve: { uid: 'GHSA-aaaa-bbbb-cccc' }, is_fix_available: false },
  ]);
  expect(ajv.validate(ocsfSchemas[2002]!, { ...found, vulnerabilities: [] })).toBe(false);
  expect(ajv.validate(ocsfSchemas[2002]!, { ...found, vulnerabilities: [{ title: 'No CVE' }] })).toBe(false);
  expect(ajv.validate(ocsfSchemas[2002]!, { ...found, status: 'Resolved' })).toBe(false);
});

describe('an Incident Finding', () => {
  const last = () => events('webhook').at(-1)!;
  test('follows its case from creation to closure under one id', async () => {
    const objectId = await t.case(client, { title: hostile, criticality: 5 });
    await t.queue(client, { event: 'case.opened', objectId });
    await t.worker().drain();
    const opened = last();
    expect(opened).toMatchObject({ class_uid: 2005, type_uid: 200501, severity_id: 5, status_id: 1, activity_name: 'Create' });
    await t.queue(client, {
      event: 'case.statusChanged',
      objectId,
      occasion: 2,
      status: 'closed',
      facts: { previousStatus: 'open' },
    });
    await t.worker().drain();
    expect(isValid(last())).toBe(true);
    expect(last().finding_info_list).toMatchObject([{ uid: `case-${objectId}` }]);
    expect(opened.finding_info_list).toMatchObject([{ uid: `case-${objectId}` }]);
  });

  test.each(verdicts)('states the verdict %s', async (verdict) => {
    const confidence = verdict === 'Insufficient Information' ? null : 60;
    const objectId = await t.case(client, { verdict, confidence });
    await t.queue(client, { event: 'case.verdict', objectId });
    await t.worker().drain();
    expect(isValid(last())).toBe(true);
    expect(last().verdict_id).toBeGreaterThan(1);
    expect(last().unmapped).toMatchObject({ verdict, confidence });
  });

  test.each(['open', 'assigned', 'investigating', 'malicious', 'escalated'] as const)('maps the status %s', async (status) => {
    const objectId = await t.case(client, { status });
    await t.queue(client, { event: 'case.slaWarning', objectId, facts: { timer: 'close', isMissed: false, targetMinutes: 9 } });
    await t.worker().drain();
    expect(isValid(last())).toBe(true);
    expect(last().status_id).toBe({ open: 1, assigned: 2, investigating: 2, malicious: 2, escalated: 3 }[status]);
  });
});

test.each([0, 64, 65, 79, 80, 100])('names the confidence %i as the portal does', (confidence) => {
  const message: Message = {
    ...{ id: crypto.randomUUID(), event: 'case.verdict', at: '2026-11-26T10:00:00.000Z', subject: 'case-1', stage: 'opened' },
    ...{ severity: 'high', sender: 'Portal', client: 'Alder', title: 'Case', facts: [], url: 'https://portal.example/' },
    data: { verdict: 'Malicious', confidence },
  };
  expect(Object.values(confidenceFrom).sort()).toEqual([0, 65, 80]);
  const level = confidenceLevelOf(confidence);
  expect(String(ocsfOf(message).confidence).toLowerCase()).toBe(level);
  expect(ocsfOf(message).confidence_id).toBe({ low: 1, medium: 2, high: 3 }[level]);
});

test('signs the bytes of the event', () => {
  const [first] = peers.webhook!.received;
  expect(verifiedWebhook(secret, first!)).toMatchObject({ metadata: { version: '1.8.0' } });
});

test('keeps the portal’s events where a target has no format, and where it has its own', async () => {
  for (const more of [{}, { format: 'portal' }] as Record<string, string>[]) {
    const own = await t.organisation();
    const { id } = await t.target(own, peers.webhook!, more);
    await t.rule(own, everything(id));
    await t.queue(own, { event: 'case.opened', objectId: await t.case(own) });
    await t.worker().drain();
    expect(JSON.parse(peers.webhook!.received.at(-1)!.body)).toMatchObject({ type: 'case.opened' });
  }
});

test('rejects events that lack what a class requires', () => {
  const [event] = events('webhook');
  for (const name of ['metadata', 'severity_id', 'finding_info_list', 'assignee_group'])
    expect(ajv.validate(ocsfSchemas[2005]!, { ...event, [name]: undefined })).toBe(false);
  expect(ajv.validate(ocsfSchemas[2005]!, { ...event, type_uid: 200503 })).toBe(false);
  expect(ajv.validate(ocsfSchemas[2005]!, { ...event, status: 'Closed', status_id: 1 })).toBe(false);
});
