import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { type RuleDetail, type RuleRow, rulesApi } from '@parapet/contract/detectionRules.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { exceptionsApi } from '@parapet/contract/exceptions.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { changedAccount } from '../../../test/database.ts';
import { publish } from '../../core/bus.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { stopNoisyShadows } from './rules.noise.ts';

/** A built-in rule of the log source linux / auditd or the like; any single-event rule does. */
let builtIn: RuleRow;
const t = useTestApp();
let [partner, client, sibling, foreign, key] = [0, 0, 0, 0, ''];
let host: TestUser;
let partnerAdmin: TestUser;
let analyst: TestUser;
let manager: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true });
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  const otherPartner = await t.organisation({ isPartner: true });
  foreign = await t.organisation({ parentId: otherPartner });
  host = await t.user({ organisationId: 1, role: 'Host' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  stranger = await t.user({ organisationId: otherPartner, role: 'Administrator' });
  key = await t.ingestKey(client);
  const { results } = await list(host, 1, { search: 'Mail-Flow Rule Copies or Redirects Mail' });
  builtIn = results[0]!;
});

const list = async (user: TestUser, of: number, query: InputOf<typeof rulesApi.list>['query'] = {}) =>
  rulesApi.list.answer.parse((await t.call(rulesApi.list, { params: { client: of }, query }, user)).json());
const get = async (user: TestUser, of: number, ruleID: string): Promise<RuleDetail> =>
  rulesApi.get.answer.parse((await t.call(rulesApi.get, { params: { client: of, ruleID } }, user)).json());
const text = (action: string, level = 'medium', id?: string) =>
  `title: Rule for ${action}\n${id ? `id: ${id}\n` : ''}logsource:\n  product: probe\ndetection:\n  selection:\n    action: ${action}\n  condition: selection\nlevel: ${level}\n`;
const draft = (user: TestUser, of: number, yaml: string, ruleID: string | null = null, afterVersion = 0) =>
  t.call(rulesApi.saveDraft, { body: { clientOrganizationID: of, ruleID, afterVersion, yaml, note: 'For the test' } }, user);
const setState = async (user: TestUser, of: number, ruleID: string, state: 'tested' | 'shadow' | 'live' | 'retired') => {
  const [newest] = (await get(user, of, ruleID)).versions;
  return t.call(rulesApi.changeState, { params: { id: newest!.id }, body: { state, why: 'For the test' } }, user);
};
const addTest = (user: TestUser, of: number, ruleID: string, document: object, isMatch = true) =>
  t.call(
    rulesApi.addTest,
    { body: { clientOrganizationID: of, ruleID, name: 'an event', isMatch, document: JSON.stringify(document) } },
    user,
  );
const event = (action: string, more: object = {}) => ({
  '@timestamp': new Date().toISOString(),
  host: { name: 'host-1' },
  logsource: { product: 'probe' },
  action,
  ...more,
});
/** A live rule of the partner. */
async function liveRule(action: string, level = 'medium'): Promise<string> {
  const { ruleID } = (await draft(partnerAdmin, partner, text(action, level))).json() as { ruleID: string };
  await addTest(partnerAdmin, partner, ruleID, event(action));
  for (const state of ['tested', 'live'] as const)
    expect((await setState(partnerAdmin, partner, ruleID, state)).statusCode).toBe(200);
  return ruleID;
}
const alertsOf = (organisationId: number, ruleID: string) =>
  scoped(t.db, { organisationIds: [organisationId] }, async (tx) => {
    const { rows } = await sql<{ criticality: number; revision: string; count: number }>`
      select a.criticality, a.rule_revision as revision, a.fire_count as count from alerts a join rules r on r.id = a.rule_id where r.key = ${ruleID}
      order by a.id`.execute(tx);
    return rows;
  });
const exceptionFor = (ruleID: string, user: string) =>
  `title: Exception\nlogsource:\n  product: probe\nfilter:\n  rules:\n    - ${ruleID}\n  selection:\n    user.name: ${user}\n  condition: not selection\n`;
const except = (
  by: TestUser,
  of: number,
  ruleID: string,
  user: string,
  endTime = new Date(Date.now() + 3_600_000).toISOString(),
) =>
  t.call(
    rulesApi.addException,
    { body: { clientOrganizationID: of, ruleID, yaml: exceptionFor(ruleID, user), reason: 'Known account', endTime } },
    by,
  );

describe('list', () => {
  test('returns the built-in rules with their facts, filtered and sorted', async () => {
    expect(builtIn).toMatchObject({
      origin: 'builtIn',
      state: 'live',
      isOn: true,
      criticality: 'high',
      logSource: 'm365 / audit',
      alerts: 0,
    });
    const all = await list(manager, client);
    expect(all.total).toBeGreaterThan(1000);
    const aws = await list(manager, client, {
      product: ['aws'],
      severity: ['high'],
      sort: 'title',
      order: 'desc',
      pageSize: 100,
    });
    expect(aws.total).toBeGreaterThan(0);
    expect(aws.results.every(({ logSource, criticality }) => logSource.startsWith('aws') && criticality === 'high')).toBe(true);
    const technique = await list(manager, client, { technique: 'T1114' });
    expect(technique.results.map(({ ruleID }) => ruleID)).toContain(builtIn.ruleID);
    expect((await list(manager, client, { state: ['off'] })).total).toBe(0);
  });

  test('returns 403 for organisations outside the scope', async () => {
    expect((await t.call(rulesApi.list, { params: { client: foreign } }, partnerAdmin)).statusCode).toBe(403);
    expect((await t.call(rulesApi.list, { params: { client: 0 } }, manager)).statusCode).toBe(403);
  });
});

describe('life', () => {
  test('takes a new rule from draft over shadow to live, in this process and in the alerts', async () => {
    const saved = await draft(partnerAdmin, partner, text('life'));
    expect(saved.statusCode).toBe(200);
    const { ruleID } = saved.json() as { ruleID: string };
    expect((await setState(partnerAdmin, partner, ruleID, 'live')).statusCode).toBe(409);
    expect((await setState(partnerAdmin, partner, ruleID, 'tested')).json().error).toBe(
      'Add a test with an event that the rule must match.',
    );
    await addTest(partnerAdmin, partner, ruleID, event('life'));
    const { id: wrong } = (await addTest(partnerAdmin, partner, ruleID, event('life'), false)).json() as { id: number };
    expect((await setState(partnerAdmin, partner, ruleID, 'tested')).json().error).toContain('fails: the rule matches its event');
    await t.call(rulesApi.removeTest, { params: { id: wrong } }, partnerAdmin);
    expect((await setState(partnerAdmin, partner, ruleID, 'tested')).statusCode).toBe(200);
    expect((await setState(partnerAdmin, partner, ruleID, 'shadow')).statusCode).toBe(200);
    await t.send(key, [event('life')]);
    expect(await alertsOf(client, ruleID)).toEqual([]);
    expect((await get(partnerAdmin, client, ruleID)).versions[0]).toMatchObject({ state: 'shadow', shadowMatches: 1 });
    expect((await setState(partnerAdmin, partner, ruleID, 'live')).statusCode).toBe(200);
    await t.send(key, [event('life')]);
    expect(await alertsOf(client, ruleID)).toMatchObject([{ criticality: 3, revision: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
    const { history, state, origin } = await get(partnerAdmin, partner, ruleID);
    expect([state, origin, history[0]?.action]).toEqual(['live', 'own', 'State: shadow → live']);
    expect((await setState(partnerAdmin, partner, ruleID, 'retired')).statusCode).toBe(200);
    await t.send(key, [event('life', { n: 2 })]);
    expect(await alertsOf(client, ruleID)).toHaveLength(1);
  });

  test('keeps title, text and exceptions of a retired rule for its open alerts and their case', async () => {
    const ruleID = await liveRule('retire-me');
    expect((await except(partnerAdmin, client, ruleID, 'backup')).statusCode).toBe(200);
    await t.send(key, [event('retire-me')]);
    const { id, case_id } = await scoped(t.db, 'system', async (tx) => {
      const alert = await tx
        .selectFrom('alerts')
        .innerJoin('rules', 'rules.id', 'alerts.rule_id')
        .select(['alerts.id', 'at', 'rule_id'])
        .where('rules.key', '=', ruleID)
        .executeTakeFirstOrThrow();
      const of = { organisation_id: client, title: 'Probe', criticality: 3, first_alert_at: alert.at, last_alert_at: alert.at };
      const { id: case_id } = await tx.insertInto('cases').values(of).returning('id').executeTakeFirstOrThrow();
      const { id: alert_id, at: alert_at, rule_id } = alert;
      await tx
        .insertInto('case_alerts')
        .values({ organisation_id: client, case_id, alert_id, alert_at, rule_id, criticality: 3, joined_by: 'manual' })
        .execute();
      return { id: alert_id, case_id };
    });
    const shown = async () => {
      const alert = (await t.call(alertsApi.detail, { params: { alertId: id } }, analyst)).json();
      const inCase = (await t.call(casesApi.alerts, { params: { caseId: case_id }, query: {} }, analyst)).json();
      return { alert, inCase };
    };
    const before = await shown();
    expect(before.alert).toMatchObject({
      ruleID,
      rule: 'Rule for retire-me',
      condition: expect.stringContaining('selection'),
      caseID: case_id,
    });
    expect(before.inCase.alertList).toMatchObject([{ rule: 'Rule for retire-me' }]);
    expect((await setState(partnerAdmin, partner, ruleID, 'retired')).statusCode).toBe(200);
    await t.send(key, [event('retire-me', { n: 2 })]);
    expect(await alertsOf(client, ruleID)).toMatchObject([{ count: 1 }]);
    expect(await shown()).toEqual(before);
    expect((await get(analyst, client, ruleID)).yaml).toContain('action: retire-me');
    const { results } = (await t.call(exceptionsApi.list, { params: { client }, query: {} }, analyst)).json();
    expect(results).toContainEqual(expect.objectContaining({ ruleID, rule: 'Rule for retire-me', isActive: true }));
  });

  test('ends a shadow at its noise budget', async () => {
    const yaml = text('noise');
    const body = { clientOrganizationID: partner, ruleID: null, afterVersion: 0, yaml, note: 'For the test', noiseBudget: 2 };
    const { ruleID } = (await t.call(rulesApi.saveDraft, { body }, partnerAdmin)).json() as { ruleID: string };
    await addTest(partnerAdmin, partner, ruleID, event('noise'));
    for (const state of ['tested', 'shadow'] as const) await setState(partnerAdmin, partner, ruleID, state);
    await t.send(key, [event('noise', { n: 1 }), event('noise', { n: 2 })]);
    await stopNoisyShadows({ db: t.db, clock: systemClock });
    const { versions, history } = await get(partnerAdmin, partner, ruleID);
    expect(versions[0]).toMatchObject({ state: 'tested', isStopped: true });
    expect(history[0]).toMatchObject({ action: 'Shadow ended by its noise budget', why: '2 matches within a day.' });
  });

  test('needs a second person for critical rules', async () => {
    const { ruleID } = (await draft(partnerAdmin, partner, text('grave', 'critical'))).json() as { ruleID: string };
    await addTest(partnerAdmin, partner, ruleID, event('grave'));
    await setState(partnerAdmin, partner, ruleID, 'tested');
    const own = await setState(partnerAdmin, partner, ruleID, 'live');
    expect([own.statusCode, own.json().error]).toEqual([403, expect.stringContaining('Critical rules need a second person.')]);
    const maker = await t.user({ organisationId: partner, role: 'Administrator' });
    await changedAccount(t.database.ownerUrl, maker, partnerAdmin, 29);
    const made = await setState(maker, partner, ruleID, 'live');
    expect([made.statusCode, made.json().error]).toEqual([
      403,
      expect.stringContaining('You created, invited or changed the account that wrote the rule'),
    ]);
    const colleague = await t.user({ organisationId: partner, role: 'Administrator' });
    expect((await setState(colleague, partner, ruleID, 'live')).statusCode).toBe(200);
  });

  test('refuses a filter beside the rule, an aggregation, and the ID of a former rule', async () => {
    const refused = async (yaml: string) => (await draft(partnerAdmin, partner, yaml)).json().errors.yaml[0] as string;
    const filter =
      'title: F\nlogsource: { product: probe }\nfilter:\n  rules: any\n  selection: { action: x }\n  condition: not selection\n';
    expect(await refused(`${text('filtered')}---\n${filter}`)).toContain('exactly one rule');
    expect(
      await refused(text('counted').replace('condition: selection', 'condition: selection | count() by user.name > 5')),
    ).toContain('a correlation that counts the rule');
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('rules')
        .values({ key: 'former-rule', title: 'Former', category: 'Other', criticality: 2, facts: '{}', is_loaded: false })
        .execute(),
    );
    expect(await refused(text('former', 'low', 'former-rule'))).toContain('is in use');
  });

  test('keeps a rule that live correlations count, and a shadow can end and begin again', async () => {
    const ruleID = await liveRule('counted');
    const burst = `title: Burst of counted\ncorrelation:\n  type: event_count\n  rules: [${ruleID}]\n  timespan: 10m\n  condition: { gte: 3 }\nlevel: medium\n`;
    const { ruleID: correlation } = (await draft(partnerAdmin, partner, burst)).json() as { ruleID: string };
    await setState(partnerAdmin, partner, correlation, 'tested');
    expect((await setState(partnerAdmin, partner, correlation, 'live')).statusCode).toBe(200);
    const rejected = await setState(partnerAdmin, partner, ruleID, 'retired');
    expect([rejected.statusCode, rejected.json().error]).toEqual([409, expect.stringContaining('“Burst of counted”')]);
    await setState(partnerAdmin, partner, correlation, 'retired');
    expect((await setState(partnerAdmin, partner, ruleID, 'retired')).statusCode).toBe(200);

    // A partner's correlation holds no rule of the provider.
    const common = (await draft(host, 1, text('common'))).json() as { ruleID: string };
    await addTest(host, 1, common.ruleID, event('common'));
    await setState(host, 1, common.ruleID, 'tested');
    expect((await setState(host, 1, common.ruleID, 'live')).statusCode).toBe(200);
    const over = (await draft(partnerAdmin, partner, burst.replace(ruleID, common.ruleID))).json() as { ruleID: string };
    await setState(partnerAdmin, partner, over.ruleID, 'tested');
    expect((await setState(partnerAdmin, partner, over.ruleID, 'live')).statusCode).toBe(200);
    expect((await setState(host, 1, common.ruleID, 'retired')).statusCode).toBe(200);

    const noisy = (await draft(partnerAdmin, partner, text('noisy'))).json() as { ruleID: string };
    await addTest(partnerAdmin, partner, noisy.ruleID, event('noisy'));
    await setState(partnerAdmin, partner, noisy.ruleID, 'tested');
    await setState(partnerAdmin, partner, noisy.ruleID, 'shadow');
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('rule_shadow_days')
        .values({
          organisation_id: client,
          rule_key: noisy.ruleID,
          version: 1,
          day: new Date().toISOString().slice(0, 10),
          count: 5_000,
          last_at: new Date(),
        })
        .execute(),
    );
    await addTest(partnerAdmin, partner, noisy.ruleID, event('noisy'), false);
    // A test that fails now keeps no shadow running.
    expect((await setState(partnerAdmin, partner, noisy.ruleID, 'tested')).statusCode).toBe(200);
    const { tests } = await get(partnerAdmin, partner, noisy.ruleID);
    await t.call(
      rulesApi.removeTest,
      { params: { id: tests.find(({ isMatch }: { isMatch: boolean }) => !isMatch)!.id } },
      partnerAdmin,
    );
    expect((await setState(partnerAdmin, partner, noisy.ruleID, 'shadow')).statusCode).toBe(200);
    expect((await get(partnerAdmin, partner, noisy.ruleID)).shadowMatches).toBe(0);
  });

  test('shows a live version that no longer loads as not in force, to its owner’s scope', async () => {
    const burst = (await draft(partnerAdmin, partner, text('burst base'))).json() as { ruleID: string };
    await scoped(t.db, 'system', async (tx) => {
      await tx
        .updateTable('rule_versions')
        .set({
          state: 'live',
          yaml: `title: Burst\nid: ${burst.ruleID}\ncorrelation:\n  type: event_count\n  rules: [gone]\n  timespan: 10m\n  condition: { gte: 3 }\n`,
        })
        .where('rule_key', '=', burst.ruleID)
        .execute();
      await publish(tx, 'rules.changed', {});
    });
    await expect
      .poll(async () => (await list(partnerAdmin, partner, { state: ['fault'], search: burst.ruleID })).results)
      .toMatchObject([{ ruleID: burst.ruleID, fault: expect.stringContaining('gone') }]);
    expect((await list(manager, client, { state: ['fault'], search: burst.ruleID })).total).toBe(1);
    await scoped(t.db, 'system', async (tx) => {
      await tx.deleteFrom('rule_versions').where('rule_key', '=', burst.ruleID).execute();
      await publish(tx, 'rules.changed', {});
    });
    await expect.poll(async () => (await list(manager, client, { state: ['fault'], search: burst.ruleID })).total).toBe(0);
  });

  test('shows tests, history and reasons of the provider to its own staff alone', async () => {
    await addTest(host, 1, builtIn.ruleID, event('of another client'));
    await t.call(
      rulesApi.saveOverride,
      {
        body: {
          clientOrganizationID: 1,
          ruleID: builtIn.ruleID,
          isOn: true,
          criticality: null,
          reason: 'Reason of the provider',
          previewID: null,
        },
      },
      host,
    );
    const own = await get(host, 1, builtIn.ruleID);
    expect(own.tests).toHaveLength(1);
    expect(JSON.stringify(own)).toContain('Reason of the provider');
    const below = await get(partnerAdmin, partner, builtIn.ruleID);
    expect(below.tests).toEqual([]);
    expect(below.overrides).toMatchObject([{ organisation: 'Inherited', reason: '', owner: '' }]);
    expect(JSON.stringify(below)).not.toMatch(/of another client|Reason of the provider/);
  });

  test('runs the tests that a text carries', async () => {
    const withTests = (tests: object, id?: string) => `${text('carried', 'medium', id)}tests: ${JSON.stringify(tests)}\n`;
    const hit = { name: 'its event', matches: true, event: event('carried') };
    const failing = await draft(
      partnerAdmin,
      partner,
      withTests([hit, { name: 'no other', matches: false, events: [event('carried')] }]),
    );
    const { ruleID } = failing.json() as { ruleID: string };
    expect((await setState(partnerAdmin, partner, ruleID, 'tested')).json().error).toBe(
      'The test “no other” fails: the rule matches its event.',
    );
    expect((await draft(partnerAdmin, partner, withTests([{ name: 'half' }], ruleID), ruleID, 1)).statusCode).toBe(200);
    expect((await setState(partnerAdmin, partner, ruleID, 'tested')).json().error).toBe(
      '“half” must have “matches”, true or false.',
    );
    expect((await draft(partnerAdmin, partner, withTests([hit], ruleID), ruleID, 2)).statusCode).toBe(200);
    expect((await setState(partnerAdmin, partner, ruleID, 'tested')).statusCode).toBe(200);
  });

  test('keeps the built-in text beside an edited one, and refuses a stale draft', async () => {
    const { yaml } = await get(host, 1, builtIn.ruleID);
    const edited = yaml.replace('level: high', 'level: low');
    expect((await draft(partnerAdmin, partner, edited, builtIn.ruleID)).statusCode).toBe(403);
    expect((await draft(host, 1, edited, builtIn.ruleID)).json()).toEqual({ ruleID: builtIn.ruleID, version: 1 });
    const stale = await draft(host, 1, edited, builtIn.ruleID);
    expect([stale.statusCode, stale.json().error]).toEqual([409, expect.stringContaining('Version 1 of this rule was saved')]);
    const detail = await get(host, 1, builtIn.ruleID);
    expect(detail).toMatchObject({ origin: 'edited', state: 'live', baseYaml: yaml, builtInYaml: yaml, yaml });
    expect(detail.versions).toMatchObject([{ version: 1, state: 'draft', yaml: edited }]);
  });

  test('refuses texts that do not load, at their line, and IDs in use', async () => {
    const broken = await draft(partnerAdmin, partner, 'title: x\ndetection:\n  a:\n    b|nothing: 1\n  condition: a\n');
    expect([broken.statusCode, broken.json().errors.yaml[0]]).toEqual([400, expect.stringMatching(/^Line 4: /)]);
    const taken = await draft(partnerAdmin, partner, text('taken', 'low', builtIn.ruleID));
    expect(taken.json().errors.yaml[0]).toContain('is in use');
    const check = await t.call(rulesApi.check, { body: { yaml: text('x') } }, partnerAdmin);
    expect(check.json().faults.map(({ severity }: { severity: string }) => severity)).toContain('warning');
  });
});

describe('overrides', () => {
  test('change severity and switch off for a partner, a client, and again', async () => {
    const ruleID = await liveRule('override');
    const save = (of: number, isOn: boolean | null, criticality: 'high' | null) =>
      t.call(
        rulesApi.saveOverride,
        { body: { clientOrganizationID: of, ruleID, isOn, criticality, reason: 'For the test' } },
        partnerAdmin,
      );
    expect((await save(partner, null, 'high')).statusCode).toBe(200);
    await t.send(key, [event('override', { host: { name: 'one' } })]);
    expect(await alertsOf(client, ruleID)).toMatchObject([{ criticality: 4 }]);
    await save(client, false, null);
    await t.send(key, [event('override', { host: { name: 'two' } })]);
    expect(await alertsOf(client, ruleID)).toHaveLength(1);
    expect((await get(manager, client, ruleID)).isOn).toBe(false);
    expect((await get(partnerAdmin, sibling, ruleID)).isOn).toBe(true);
    await save(client, null, null);
    await t.send(key, [event('override', { host: { name: 'three' } })]);
    expect(await alertsOf(client, ruleID)).toHaveLength(2);
  });
});

describe('exceptions', () => {
  test('leave events of one client out until they end', async () => {
    const ruleID = await liveRule('except');
    const added = await except(analyst, client, ruleID, 'backup');
    expect(added.statusCode).toBe(200);
    await t.send(key, [event('except', { user: { name: 'backup' } })]);
    expect(await alertsOf(client, ruleID)).toEqual([]);
    await t.send(key, [event('except', { user: { name: 'mallory' } })]);
    expect(await alertsOf(client, ruleID)).toHaveLength(1);
    expect((await list(manager, client, { search: 'Rule for except' })).results).toMatchObject([{ exceptions: 1 }]);
    await t.call(rulesApi.endException, { params: { id: added.json().id } }, analyst);
    await t.send(key, [event('except', { user: { name: 'backup' }, n: 2 })]);
    expect(await alertsOf(client, ruleID)).toHaveLength(2);
  });

  test('fail when they could never apply, and for all clients by an analyst', async () => {
    const ruleID = await liveRule('refused');
    const add = (yaml: string, endTime = new Date(Date.now() + 3_600_000).toISOString()) =>
      t.call(
        rulesApi.addException,
        { body: { clientOrganizationID: client, ruleID, yaml, reason: 'Known account', endTime } },
        analyst,
      );
    const other = exceptionFor('another-rule', 'a');
    expect((await add(other)).json().errors.yaml[0]).toContain('names other rules');
    expect((await add(exceptionFor(ruleID, 'a').replace('probe', 'windows'))).json().errors.yaml[0]).toContain('log source');
    expect((await add('title: x\nfilter:\n  condition: selection\n')).json().errors.yaml[0]).toMatch(/^Line \d/);
    expect((await add(exceptionFor(ruleID, 'a'), '2020-01-01T00:00:00Z')).json().errors.endTime).toBeDefined();
    expect((await except(analyst, partner, ruleID, 'a')).statusCode).toBe(403);
  });
});

describe('isolation', () => {
  test('hides a partner’s rules, versions and settings from others', async () => {
    const ruleID = await liveRule('secret');
    await except(analyst, client, ruleID, 'backup');
    const [foreignRule, missing] = await Promise.all(
      [ruleID, 'no-such-rule'].map((id) => t.call(rulesApi.get, { params: { client: foreign, ruleID: id } }, stranger)),
    );
    expect([foreignRule!.statusCode, missing!.statusCode]).toEqual([404, 404]);
    expect((await list(stranger, foreign, { search: 'Rule for secret' })).total).toBe(0);
    const [version] = (await get(partnerAdmin, partner, ruleID)).versions;
    const change = { params: { id: version!.id }, body: { state: 'retired' as const, why: 'For the test' } };
    expect((await t.call(rulesApi.changeState, change, stranger)).statusCode).toBe(404);
    expect((await except(stranger, foreign, ruleID, 'x')).statusCode).toBe(404);
    expect((await except(stranger, client, ruleID, 'x')).statusCode).toBe(403);
    const correlation = `title: C\ncorrelation:\n  type: event_count\n  rules: [${ruleID}]\n  timespan: 1m\n  condition: { gte: 2 }\n`;
    expect((await draft(stranger, stranger.organisationId, correlation)).json().errors.yaml[0]).toContain('not loaded');
  });

  test('shows clients the rule without notes, reasons, tests and history', async () => {
    const ruleID = await liveRule('notes');
    await except(analyst, client, ruleID, 'backup');
    const seen = await get(manager, client, ruleID);
    expect(seen.yaml).toContain('action: notes');
    expect(seen.ruleExceptions).toMatchObject([{ reason: '', owner: '', isActive: true }]);
    expect([seen.history, seen.tests, seen.versions.map(({ note, author }) => note + author)]).toEqual([[], [], ['']]);
    expect([seen.canEdit, seen.canOverride, seen.canExcept]).toEqual([false, false, false]);
  });
});
