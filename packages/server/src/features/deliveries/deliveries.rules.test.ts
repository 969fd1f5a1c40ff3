/** Routing of events to targets, and previews of rules, which count the same. */
import type { DeliveryRuleInput } from '@parapet/contract/deliveries.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DeliveriesFixture, deliveriesFixture, everything } from '../../../test/deliveries.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { queueDeliveries, withdrawDeliveries } from '../../domain/causes.ts';
import { countPreview } from './deliveries.preview.store.ts';
import { findRule, updateRule } from './deliveries.rules.store.ts';

let hook: Peer;
let t: DeliveriesFixture;
let provider: number;
let partner: number;
let client: number;
let sibling: number;

beforeAll(async () => {
  hook = await startWebhook();
  t = await deliveriesFixture([hook]);
  provider = 1;
  await scoped(t.db, 'system', (tx) =>
    tx.insertInto('organisations').values({ id: 1, name: 'Provider', is_partner: true, is_mfa_compulsory: false }).execute(),
  );
});
afterAll(async () => {
  await t.close();
  await hook.close();
});
beforeEach(async () => {
  partner = await t.organisation({ isPartner: true, parentId: provider });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
});

const targetOf = async (owner: number, rule: Partial<DeliveryRuleInput> = {}): Promise<number> => {
  const { id } = await t.target(owner, hook);
  await t.rule(owner, { ...everything(id), ...rule });
  return id;
};
const open = async (organisationId: number, more: Parameters<typeof t.case>[1] = {}): Promise<number> => {
  const objectId = await t.case(organisationId, more);
  await t.queue(organisationId, { event: 'case.opened', objectId });
  return objectId;
};
const subjects = async (target: number) => (await t.rows(target)).map((row) => row.object_id);

describe('a rule', () => {
  test('routes the events of all clients to a partner, its own to a client, and all to the provider', async () => {
    const [ofProvider, ofPartner, ofClient] = [await targetOf(provider), await targetOf(partner), await targetOf(client)];
    const [own, others] = [await open(client), await open(sibling)];
    expect(await subjects(ofPartner)).toEqual([own, others]);
    expect(await subjects(ofClient)).toEqual([own]);
    expect(await subjects(ofProvider)).toEqual([own, others]);
  });

  test('keeps to one client, to severities, to verdicts and to statuses', async () => {
    const one = await targetOf(partner, { clientId: sibling });
    const high = await targetOf(partner, { minSeverity: 'high' });
    const malicious = await targetOf(partner, { verdicts: ['Malicious'] });
    const closed = await targetOf(partner, { events: ['case.statusChanged'], statuses: ['closed'] });
    const off = await targetOf(partner, { isOn: false });
    const low = await open(client, { criticality: 2 });
    const bad = await open(sibling, { criticality: 4, verdict: 'Malicious', confidence: 90 });
    await t.queue(sibling, { event: 'case.statusChanged', objectId: bad, occasion: 2, status: 'investigating' });
    await t.queue(client, { event: 'case.statusChanged', objectId: low, occasion: 3, status: 'closed' });
    expect(await subjects(one)).toEqual([bad, bad]);
    expect(await subjects(high)).toEqual([bad, bad]);
    expect(await subjects(malicious)).toEqual([bad, bad]);
    expect(await subjects(closed)).toEqual([low]);
    expect(await subjects(off)).toEqual([]);
  });

  test('sends within its hours only, in its zone and over midnight', async () => {
    // A Friday, 23:30 in Vienna.
    t.clock.moveTo(Date.parse('2030-01-04T22:30:00Z'));
    const hours = (days: number[], from: number, to: number) => ({ hours: { zone: 'Europe/Vienna', days, from, to } });
    const night = await targetOf(client, hours([5], 22 * 60, 6 * 60));
    const day = await targetOf(client, hours([1, 2, 3, 4, 5], 8 * 60, 18 * 60));
    const utc = await targetOf(client, { hours: { zone: 'UTC', days: [5], from: 22 * 60, to: 23 * 60 } });
    const digests = await targetOf(sibling, { events: ['digest.weekly'], ...hours([1], 8 * 60, 10 * 60) });
    await t.queue(sibling, { event: 'digest.weekly', objectId: sibling, facts: {} });
    expect(await subjects(digests)).toEqual([sibling]);
    const late = await open(client);
    // Saturday, 03:00: the night of Friday.
    t.clock.moveTo(Date.parse('2030-01-05T02:00:00Z'));
    const early = await open(client);
    // Saturday, 23:30.
    t.clock.moveTo(Date.parse('2030-01-05T22:30:00Z'));
    await open(client);
    expect(await subjects(night)).toEqual([late, early]);
    expect(await subjects(day)).toEqual([]);
    expect(await subjects(utc)).toEqual([late]);
    t.clock.moveTo(Date.now());
  });

  test('sends nothing about excluded cases, and nothing for a transaction that is undone', async () => {
    const id = await targetOf(client);
    await open(client, { is_excluded: true });
    const objectId = await t.case(client);
    const undone = scoped(t.db, { organisationIds: [client] }, async (tx) => {
      await queueDeliveries(tx, [{ organisationId: client, event: 'case.opened', objectId, at: new Date() }]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await subjects(id)).toEqual([]);
  });

  test('ignores events that another organisation’s transaction claims', async () => {
    const id = await targetOf(sibling);
    const objectId = await t.case(sibling);
    await scoped(t.db, { organisationIds: [client] }, (tx) =>
      queueDeliveries(tx, [{ organisationId: sibling, event: 'case.opened', objectId, at: new Date() }]),
    );
    expect(await subjects(id)).toEqual([]);
  });
});

describe('an escalation', () => {
  const afterHalfAnHour = { events: ['case.opened' as const], afterMinutes: 30 };

  test('waits for an acknowledgement, and holds nothing else back', async () => {
    const target = await targetOf(client, afterHalfAnHour);
    await t.rule(client, { ...everything(target), events: ['report.ready'] });
    const [late, taken] = [await open(client), await open(client)];
    await t.queue(client, { event: 'report.ready', objectId: 1, occasion: '2026-10', facts: { month: '2026-10' } });
    await t.turn(target);
    const states = async () => (await t.rows(target)).map(({ state }) => state);
    expect(await states()).toEqual(['queued', 'queued', 'accepted']);
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ acknowledged_at: new Date() }).where('id', '=', taken).execute(),
    );
    t.forward(29 * 60_000);
    await t.turn(target);
    expect(await states()).toEqual(['queued', 'queued', 'accepted']);
    t.forward(60_001);
    await t.turn(target);
    expect(await states()).toEqual(['accepted', 'notNeeded', 'accepted']);
    const { type, data } = JSON.parse(hook.received.at(-1)!.body);
    expect([type, data.id, data.unacknowledgedMinutes]).toEqual(['case.opened', late, 30]);
    expect((await t.rows(target))[0]!.message).toMatchObject({ title: expect.stringMatching(/^Not acknowledged for 30 min: #/) });
    t.clock.moveTo(Date.now());
  });

  test('brings no follow-ups before it was sent', async () => {
    const { id: target } = await t.target(client, { kind: 'pagerduty', values: { routingKey: 'a'.repeat(32), api: hook.url } });
    await t.rule(client, { ...everything(target), ...afterHalfAnHour });
    const objectId = await open(client);
    await t.queue(client, { event: 'case.statusChanged', objectId, occasion: 2, status: 'investigating' });
    expect((await t.rows(target)).map(({ event }) => event)).toEqual(['case.opened']);
    t.forward(31 * 60_000);
    await t.turn(target);
    await t.queue(client, { event: 'case.statusChanged', objectId, occasion: 3, status: 'closed' });
    expect((await t.rows(target)).map(({ event }) => event)).toEqual(['case.opened', 'case.statusChanged']);
    t.clock.moveTo(Date.now());
  });

  test('goes beside the message at once, where two rules route it', async () => {
    const target = await targetOf(client, afterHalfAnHour);
    await t.rule(client, { ...everything(target), events: ['case.opened'] });
    const id = await open(client);
    expect(await subjects(target)).toEqual([id, id]);
  });
});

describe('levels of escalation', () => {
  const levelled = async (owner: number, more: Partial<DeliveryRuleInput> = {}) => {
    const [first, second, third] = [await t.target(owner, hook), await t.target(owner, hook), await t.target(owner, hook)];
    const escalations = [
      { afterMinutes: 15, targetId: second.id },
      { afterMinutes: 60, targetId: third.id },
    ];
    const rule = await t.rule(owner, { ...everything(first.id), escalations, ...more });
    return { rule, ids: [first.id, second.id, third.id] as const };
  };

  test('reach one target after the other until the case is acknowledged', async () => {
    const { ids } = await levelled(partner);
    const objectId = await open(client);
    const states = async () => (await Promise.all(ids.map((id) => t.rows(id)))).map(([row]) => row?.state);
    const turns = async () => {
      for (const id of ids) await t.turn(id);
    };
    await turns();
    expect(await states()).toEqual(['accepted', 'queued', 'queued']);
    t.forward(15 * 60_000 + 1);
    await turns();
    expect(await states()).toEqual(['accepted', 'accepted', 'queued']);
    expect(JSON.parse(hook.received.at(-1)!.body).data.unacknowledgedMinutes).toBe(15);
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ acknowledged_at: new Date() }).where('id', '=', objectId).execute(),
    );
    t.forward(45 * 60_000);
    await turns();
    expect(await states()).toEqual(['accepted', 'accepted', 'notNeeded']);
    t.clock.moveTo(Date.now());
  });

  test.each([
    ['its case was closed', 'cases', { closed_at: new Date() }],
    ['its case was excluded', 'cases', { is_excluded: true }],
    ['its case was merged into another', undefined, {}],
    ['its client moved to another partner', 'organisations', { parent_id: 1 }],
    ['its client was deactivated', 'organisations', { deactivated_at: new Date() }],
  ] as const)('are not needed once %s', async (_, table, values) => {
    const { ids } = await levelled(partner);
    const into = await t.case(client);
    const objectId = await open(client);
    await t.turn(ids[0]);
    await scoped(t.db, 'system', async (tx) => {
      if (table === undefined) await sql`select absorb_case(${client}, ${objectId}, ${into}, 1, '', now())`.execute(tx);
      else
        await tx
          .updateTable(table)
          .set(values)
          .where('id', '=', table === 'cases' ? objectId : client)
          .execute();
    });
    t.forward(15 * 60_000 + 1);
    await t.turn(ids[1]);
    expect((await t.rows(ids[1])).map(({ state }) => state)).toEqual(['notNeeded']);
    t.clock.moveTo(Date.now());
  });

  test('get new cases and verdicts only, by the conditions of their rule', async () => {
    const { ids } = await levelled(partner, { minSeverity: 'high', clientId: client });
    await open(client, { criticality: 2 });
    await open(sibling);
    const objectId = await open(client);
    await t.queue(client, { event: 'case.statusChanged', objectId, occasion: 2, status: 'investigating' });
    await t.queue(client, { event: 'digest.weekly', objectId: client, facts: {} });
    expect(await subjects(ids[0])).toEqual([objectId, objectId, client]);
    expect(await subjects(ids[1])).toEqual([objectId]);
  });

  test('wait for a bulk change of any user that may still be undone', async () => {
    const { ids } = await levelled(partner);
    const objectId = await open(client);
    t.forward(15 * 60_000 + 1);
    await scoped(t.db, 'system', (tx) =>
      sql`with person as (
          insert into users (organisation_id, email, first_name, last_name, role)
          values (${partner}, ${`bulk-${partner}@example.com`}, 'Ada', 'Frost', 'Analyst') returning id),
        job as (
          insert into bulk_jobs (organisation_id, user_id, kind, what, actor, state, finished_at)
          select ${partner}, id, 'cases', '{}', '{}', 'done', ${new Date(t.clock.now())} from person returning id)
        insert into bulk_changes (organisation_id, job_id, object_id, before) select ${client}, id, ${objectId}, '{}' from job`.execute(
        tx,
      ),
    );
    await t.turn(ids[1]);
    expect((await t.rows(ids[1])).map(({ state }) => state)).toEqual(['queued']);
    t.forward(60_000);
    await t.turn(ids[1]);
    expect((await t.rows(ids[1])).map(({ state }) => state)).toEqual(['accepted']);
    t.clock.moveTo(Date.now());
  });

  test('leave out targets of another owner, even if a row names one', async () => {
    const foreign = await t.target(sibling, hook);
    const { rule } = await levelled(client);
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('delivery_escalations')
        .values({ rule_id: rule, organisation_id: client, target_id: foreign.id, after_minutes: 5 })
        .execute(),
    );
    await open(client);
    expect(await subjects(foreign.id)).toEqual([]);
  });

  test('read and change in the scope of their owner only', async () => {
    const { rule, ids } = await levelled(client);
    const read = (organisationId: number) =>
      scoped(t.db, { organisationIds: [organisationId] }, (tx) => findRule(tx, { organisationIds: [organisationId] }, rule));
    expect((await read(client))?.escalations.map(({ afterMinutes }) => afterMinutes)).toEqual([15, 60]);
    expect(await read(sibling)).toBeUndefined();
    const replace = (organisationId: number) => {
      const scope = { organisationIds: [organisationId] };
      const input = { ...everything(ids[0]), escalations: [{ afterMinutes: 30, targetId: ids[2] }] };
      return scoped(t.db, scope, (tx) => updateRule(tx, scope, rule, input));
    };
    await replace(sibling);
    expect((await read(client))?.escalations).toHaveLength(2);
    await replace(client);
    expect((await read(client))?.escalations).toEqual([{ afterMinutes: 30, targetId: ids[2] }]);
  });
});

describe('an undone bulk change', () => {
  test('removes what was not sent, also at a partner’s target that the user does not see', async () => {
    const id = await targetOf(partner);
    const caseId = await t.case(client);
    const actorId = await scoped(t.db, 'system', async (tx) => {
      const user = { organisation_id: client, email: `${caseId}@x.example`, first_name: 'A', last_name: 'B', role: 'Manager' };
      return (await tx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow()).id;
    });
    const since = new Date(t.clock.now());
    await t.queue(client, { event: 'case.statusChanged', objectId: caseId, occasion: 1, status: 'closed', actorId });
    expect(await subjects(id)).toEqual([caseId]);
    const withdraw = (version: number) =>
      scoped(t.db, { organisationIds: [client] }, (tx) =>
        withdrawDeliveries(tx, { userId: actorId, since }, [{ id: caseId, version }]),
      );
    await withdraw(7);
    expect(await subjects(id)).toEqual([caseId]);
    await withdraw(1);
    expect(await subjects(id)).toEqual([]);
  });
});

describe('the preview', () => {
  test('counts what the rule would have sent, by event', async () => {
    const at = new Date(Date.now() - 2 * hourMs);
    const high = await t.case(client, { criticality: 4, created_at: at, verdict: 'Malicious', confidence: 90 });
    await t.case(client, { criticality: 1, created_at: at });
    await t.case(client, { criticality: 5, created_at: new Date(Date.now() - 40 * 24 * hourMs) });
    await t.case(sibling, { criticality: 5, created_at: at });
    await scoped(t.db, 'system', (tx) =>
      sql`insert into case_history (organisation_id, case_id, at, kind, text, before, after) values
        (${client}, ${high}, ${at}, 'decision', 'Verdict', null, '{"verdict": "Malicious"}'),
        (${client}, ${high}, ${at}, 'status', 'Status', '{"status": "open"}', '{"status": "closed"}'),
        (${client}, ${high}, ${at}, 'status', 'Investigation', '{"investigationStatus": 1}', '{"investigationStatus": 2}')`.execute(
        tx,
      ),
    );
    const { id } = await t.target(partner, hook);
    const count = async (rule: Partial<DeliveryRuleInput>) => {
      const scope = { organisationIds: [partner, client, sibling] };
      const input = { ...everything(id), ...rule };
      const counted = await scoped(t.db, scope, (tx) => countPreview(tx, scope, partner, input, Date.now()));
      const levels = counted.escalations.map((level) => [`after ${level.afterMinutes}`, level.count]);
      const events = counted.results.filter((each) => each.count > 0).map((each) => [each.event, each.count]);
      return Object.fromEntries([...events, ...levels]);
    };
    expect(await count({})).toEqual({ 'case.opened': 3, 'case.verdict': 1, 'case.statusChanged': 1 });
    expect(await count({ minSeverity: 'high', clientId: client })).toEqual({
      'case.opened': 1,
      'case.verdict': 1,
      'case.statusChanged': 1,
    });
    expect(await count({ verdicts: ['Benign'] })).toEqual({});
    expect(await count({ events: ['case.statusChanged'], statuses: ['escalated'] })).toEqual({});
    expect(await count({ events: ['case.opened'], afterMinutes: 30, clientId: client })).toEqual({ 'case.opened': 2 });
    await scoped(t.db, 'system', (tx) => tx.updateTable('cases').set({ acknowledged_at: at }).where('id', '=', high).execute());
    expect(await count({ events: ['case.opened'], afterMinutes: 30, clientId: client })).toEqual({ 'case.opened': 1 });
    const escalations = [{ afterMinutes: 30, targetId: id }];
    expect(await count({ events: ['case.opened'], escalations, clientId: client })).toEqual({ 'case.opened': 2, 'after 30': 1 });
    await scoped(t.db, 'system', (tx) =>
      sql`insert into case_history (organisation_id, case_id, at, kind, text, is_internal) values
        (${client}, ${high}, ${at}, 'status', 'Time to contain: target at risk (60 minutes)', true),
        (${client}, ${high}, ${at}, 'status', 'Time to leave', true)`.execute(tx),
    );
    expect(await count({ events: ['case.slaWarning'] })).toEqual({ 'case.slaWarning': 1 });
    await scoped(t.db, 'system', (tx) =>
      sql`update organisations set created_at = '2020-01-01' where id in (${client}, ${sibling})`.execute(tx),
    );
    const weeks = (await count({ events: ['digest.weekly'] }))['digest.weekly'];
    expect([8, 10]).toContain(weeks);
    const other = new Date(at.getTime() + 6 * hourMs).getUTCHours() * 60;
    expect(await count({ hours: { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: other, to: (other + 60) % 1440 } })).toEqual(
      // At any hour.
      { 'digest.weekly': weeks },
    );
  });
});
