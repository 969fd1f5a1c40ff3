import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesApi } from '@parapet/contract/detectionRules.ts';
import type { RuleChange, RulePreview } from '@parapet/contract/rulePreviews.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createDetector, type Detector, readBuiltIn } from '../../pipeline/detector.ts';
import { runPreviews } from './previews.worker.ts';

let t: TestApp;
let [partner, client, sibling, key, siblingKey] = [0, 0, 0, '', ''];
let admin: TestUser;
let analyst: TestUser;
let stranger: TestUser;
let rulesDir: string;
let ruleID: string;
/** Of a worker process. */
let detector: Detector;

const text = `title: Tool started
logsource:
  product: probe
detection:
  selection:
    action: start
  condition: selection
level: medium
`;
const burst = (rule: string) => `title: Many tools
correlation:
  type: event_count
  rules:
    - ${rule}
  group-by:
    - host.name
  timespan: 10m
  condition:
    gte: 3
  generate: true
level: high
`;
const filter = (user: string) =>
  `title: Exception\nlogsource:\n  product: probe\nfilter:\n  rules:\n    - any\n  selection:\n    user.name: ${user}\n  condition: not selection\n`;
const ago = (hours: number) => new Date(systemClock.now() - hours * hourMs).toISOString();
const event = (user: string, hours: number, more: object = {}) => ({
  '@timestamp': ago(hours),
  host: { name: `host-${user}` },
  user: { name: user },
  logsource: { product: 'probe' },
  action: 'start',
  ...more,
});

async function goLive(yaml: string, document?: object): Promise<string> {
  const body = { clientOrganizationID: partner, ruleID: null, afterVersion: 0, yaml, note: 'For the test' };
  const { ruleID } = (await t.call(rulesApi.saveDraft, { body }, admin)).json() as { ruleID: string };
  const test = { clientOrganizationID: partner, ruleID, name: 'match', isMatch: true, document: JSON.stringify(document) };
  if (document) await t.call(rulesApi.addTest, { body: test }, admin);
  const { versions } = (await t.call(rulesApi.get, { params: { client: partner, ruleID } }, admin)).json();
  for (const state of ['tested', 'live'] as const) {
    const answer = await t.call(
      rulesApi.changeState,
      { params: { id: versions[0].id }, body: { state, why: 'For the test' } },
      admin,
    );
    expect(answer.json()).toEqual({});
  }
  return ruleID;
}

beforeAll(async () => {
  t = await testApp();
  await t.organisation({ id: 1, isPartner: true });
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
  [key, siblingKey] = [await t.ingestKey(client), await t.ingestKey(sibling)];
  // Versions of the database suffice.
  rulesDir = await mkdtemp(join(tmpdir(), 'parapet-rules-'));
  detector = await createDetector({ db: t.db, builtIn: await readBuiltIn(rulesDir) });
  ruleID = await goLive(text, event('ana', 1));
  // Within the grouping window they are one alert; a day apart two.
  await t.send(key, [
    event('ana', 50),
    event('ana', 49.9),
    event('ana', 20),
    event('backup', 30),
    event('other', 3, { action: 'stop' }),
  ]);
  await t.send(siblingKey, [event('backup', 5)]);
});
afterAll(async () => {
  await t.close();
  await rm(rulesDir, { recursive: true });
});

async function preview(change: RuleChange, by = admin, days = 30): Promise<RulePreview> {
  const started = await t.call(rulesApi.startPreview, { body: { change, days } }, by);
  expect(started.statusCode).toBe(200);
  await detector.reload();
  await runPreviews({ db: t.db, clock: systemClock, detector, groupingWindowMs: hourMs, log: silentLog });
  const answer = await t.call(rulesApi.getPreview, { params: { id: started.json().id } }, by);
  return rulesApi.getPreview.answer.parse(answer.json());
}
const exception = (organisationId: number, user: string): RuleChange => ({
  kind: 'exception',
  clientOrganizationID: organisationId,
  ruleID,
  yaml: filter(user),
});
const raised = (organisationId: number) =>
  scoped(t.db, { organisationIds: [organisationId] }, async (tx) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from alerts a join rules r on r.id = a.rule_id where r.key = ${ruleID}`.execute(tx);
    return rows[0]!.count;
  });

describe('preview', () => {
  test('counts the alerts that an exception would have hidden, and as many before it as were raised', async () => {
    const { state, clients, days, examples, scanned, total, analystTime } = await preview(exception(client, 'ana'));
    expect(analystTime).toEqual({ minutes: 5 * (clients[0]!.after - clients[0]!.before), perAlert: 5 });
    expect(analystTime!.minutes).toBeLessThan(0);
    expect([state, scanned, total]).toEqual(['done', 5, 5]);
    expect(clients).toMatchObject([
      { clientOrganizationID: client, events: 5, before: await raised(client), after: 1, lost: 2, gained: 0, isPartial: true },
    ]);
    expect(days.reduce((sum, { lost }) => sum + lost, 0)).toBe(2);
    expect(examples).toMatchObject([
      { kind: 'lost', userName: 'ana', count: 2 },
      { kind: 'lost', userName: 'ana', count: 1 },
    ]);
  });

  test('covers all clients of a partner', async () => {
    const { clients } = await preview(exception(partner, 'backup'));
    const lost = clients.map(({ clientOrganizationID, lost }) => [clientOrganizationID, lost]);
    expect(lost).toEqual([
      [partner, 0],
      [client, 1],
      [sibling, 1],
    ]);
  });

  test('judges a new text, a switch and a severity', async () => {
    const yaml = text.replace('action: start', 'action: [start, stop]');
    const change: RuleChange = { kind: 'text', clientOrganizationID: partner, ruleID, yaml: `${yaml}id: ${ruleID}\n` };
    expect((await preview(change)).clients.find(({ clientOrganizationID }) => clientOrganizationID === client)).toMatchObject({
      gained: 1,
      lost: 0,
    });
    const off: RuleChange = { kind: 'override', clientOrganizationID: client, ruleID, isOn: false, criticality: null };
    expect((await preview(off)).clients).toMatchObject([{ before: 3, after: 0, lost: 3 }]);
    const level: RuleChange = { kind: 'override', clientOrganizationID: client, ruleID, isOn: null, criticality: 'critical' };
    expect((await preview(level)).clients).toMatchObject([{ before: 3, after: 3, changed: 3, lost: 0, gained: 0 }]);
  });

  test('reads the decoded form of stored commands', async () => {
    const organisation = await t.organisation({ parentId: partner });
    const encoded = Buffer.from('Invoke-Probe -Target 10.1.2.3', 'utf16le').toString('base64');
    const command = (hours: number, command_line: string) =>
      event('ana', hours, { action: 'run', process: { executable: 'C:\\p\\powershell.exe', command_line } });
    await t.send(await t.ingestKey(organisation), [
      command(30, `powershell.exe -enc ${encoded}`),
      command(20, 'powershell.exe -c Invoke-Probe'),
      command(10, 'powershell.exe -c Get-Date'),
    ]);
    const gained = async (selection: string) => {
      const yaml = `${text.replace('action: start', selection)}id: ${ruleID}\n`;
      const { clients, examples } = await preview({ kind: 'text', clientOrganizationID: partner, ruleID, yaml });
      const own = clients.find(({ clientOrganizationID }) => clientOrganizationID === organisation);
      return [own?.gained, examples.filter(({ kind }) => kind === 'gained').length];
    };
    expect(await gained("CommandLine|contains: 'invoke-probe'")).toEqual([2, 2]);
    expect(await gained("process.decoded_command_line|contains: 'invoke-probe'")).toEqual([1, 1]);
  });

  test('follows correlations over the rule, and names malicious cases', async () => {
    const many = await goLive(burst(ruleID));
    await t.send(
      key,
      [1, 2, 3].map((n) => event('svc', 8, { n })),
    );
    const found = await preview(exception(client, 'svc'));
    expect(found.examples.map(({ kind, rule }) => [kind, rule]).sort()).toEqual([
      ['lost', 'Many tools'],
      ['lost', 'Tool started'],
    ]);
    expect(found.maliciousCases).toEqual([]);
    const caseId = await maliciousCase(many);
    expect((await preview(exception(client, 'svc'))).maliciousCases).toEqual([
      { caseID: caseId, clientOrganizationID: client, alerts: 1 },
    ]);
  });

  test('needs a second person to save what hides alerts of malicious cases', async () => {
    const caseId = await maliciousCase(ruleID, 'ana');
    const change = exception(client, 'ana');
    const save = (by: TestUser, previewID: number | null) =>
      t.call(
        rulesApi.addException,
        {
          body: {
            clientOrganizationID: client,
            ruleID,
            yaml: filter('ana'),
            reason: 'Known account',
            endTime: ago(-24),
            previewID,
          },
        },
        by,
      );
    const alone = await save(analyst, null);
    expect([alone.statusCode, alone.json().error]).toEqual([409, expect.stringContaining(`malicious case ${caseId}.`)]);
    const cancelled = (await t.call(rulesApi.startPreview, { body: { change } }, analyst)).json() as { id: number };
    await t.call(rulesApi.cancelPreview, { params: { id: cancelled.id } }, analyst);
    expect((await save(admin, cancelled.id)).json().error).toContain('The preview of this change is cancelled.');
    const { id, maliciousCases } = await preview(change, analyst, 1);
    // Named whatever the range is, as the check at saving looks at 90 days.
    expect(maliciousCases.map(({ caseID }) => caseID)).toContain(caseId);
    expect((await save(analyst, id)).statusCode).toBe(409);
    const later = await maliciousCase(ruleID, 'ana', 1);
    expect((await save(admin, id)).json().error).toContain(`The preview does not name malicious case ${later}.`);
    const again = await preview(change, analyst, 1);
    expect((await save(admin, again.id)).json()).toEqual({ id: expect.any(Number) });
  });

  test('stops when it is cancelled, and is hidden from others', async () => {
    const started = await t.call(rulesApi.startPreview, { body: { change: exception(client, 'x') } }, analyst);
    const { id } = started.json() as { id: number };
    expect((await t.call(rulesApi.getPreview, { params: { id } }, stranger)).statusCode).toBe(404);
    expect((await t.call(rulesApi.cancelPreview, { params: { id } }, stranger)).statusCode).toBe(404);
    expect((await t.call(rulesApi.cancelPreview, { params: { id } }, analyst)).statusCode).toBe(200);
    await runPreviews({ db: t.db, clock: systemClock, detector, groupingWindowMs: hourMs, log: silentLog });
    expect((await t.call(rulesApi.getPreview, { params: { id } }, analyst)).json()).toMatchObject({
      state: 'cancelled',
      clients: [],
    });
  });

  test('refuses clients outside the scope, and texts from analysts', async () => {
    expect((await t.call(rulesApi.startPreview, { body: { change: exception(client, 'x') } }, stranger)).statusCode).toBe(403);
    const change: RuleChange = { kind: 'text', clientOrganizationID: client, ruleID: null, yaml: text };
    expect((await t.call(rulesApi.startPreview, { body: { change } }, analyst)).statusCode).toBe(403);
  });
});

/** Makes a malicious case of the newest alert of a rule, beyond some newer ones. */
const maliciousCase = (ofRule: string, user?: string, newer = 0) =>
  scoped(t.db, 'system', async (tx) => {
    const { rows } = await sql<{ id: number }>`
      with made as (
        insert into cases (organisation_id, title, status, criticality, first_alert_at, last_alert_at) values (${client}, 'Case', 'malicious', 4, now(), now())
        returning id)
      insert into case_alerts (case_id, organisation_id, alert_id, alert_at, rule_id, criticality, joined_by)
      select made.id, ${client}, a.id, a.at, a.rule_id, 4, 'test' from made, lateral (
        select a.id, a.at, a.rule_id from alerts a join rules r on r.id = a.rule_id and r.key = ${ofRule}
        where a.organisation_id = ${client} and (${user ?? null}::text is null or a.user_name = ${user ?? null}) order by a.id desc offset ${newer} limit 1) a
      returning case_id as id`.execute(tx);
    return rows[0]!.id;
  });
