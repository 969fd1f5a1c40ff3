/** Fixture of typed queries: records of every list in a client, its sibling and a foreign client, in all of their states. */

import { randomBytes, randomUUID } from 'node:crypto';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { runAs } from './database.ts';
import { sapphireWorld } from './sapphire.fixture.ts';
import { putEvents } from './storedEvents.ts';

interface Place {
  organisationId: number;
  device: string;
  userId: number;
  caseId: number;
  ruleId: number;
}

export async function queryWorld() {
  const world = await sapphireWorld();
  const { t, people } = world;
  const now = Date.now();
  const foreignAdmin = await t.user({ organisationId: world.foreign, role: 'Administrator' });
  const organisations = [
    { organisationId: world.client, userId: people.partnerAnalyst.id },
    { organisationId: world.sibling, userId: people.host.id },
    { organisationId: world.foreign, userId: foreignAdmin.id },
  ];
  await scoped(t.db, 'system', async (tx) => {
    await sql`insert into known_exploited (cve) values ('CVE-2026-1'), ('CVE-2026-4')`.execute(tx);
    await sql`insert into epss_scores (cve, score, scored_at) values ('CVE-2026-1', 0.9, '2026-01-01'), ('CVE-2026-2', 0.01, '2026-01-01')`.execute(
      tx,
    );
    const { id: ruleId } = await tx.selectFrom('rules').select('id').orderBy('id').executeTakeFirstOrThrow();
    for (const each of organisations) {
      const device = await addDevice(tx, each.organisationId, now);
      const caseId = await addCase(tx, each.organisationId, each.userId, now);
      const place: Place = { ...each, device, caseId, ruleId };
      await addFindings(tx, place, now);
      await addResponses(tx, place, now);
      await addSuppressions(tx, place, now);
      await addCollectors(tx, place, now);
      await addAccounts(tx, place, now);
      await addMails(tx, place, now);
      await addRest(tx, place, now);
    }
  });
  // As the owner: the application may not set the time of an entry.
  await runAs(t.database.ownerUrl, ...organisations.map(auditEntries));
  return { ...world, foreignAdmin, now };
}

async function addDevice(tx: Tx, organisationId: number, now: number, more: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID();
  await tx
    .insertInto('devices')
    .values({
      id,
      organisation_id: organisationId,
      name: `HOST-${organisationId}-${id.slice(0, 6)}`,
      device_type: 'server',
      last_event_at: new Date(now - hourMs),
      ...more,
    } as never)
    .execute();
  return id;
}

/** A closed case with a decided review, and one with a pending review; the id of the first. */
async function addCase(tx: Tx, organisationId: number, userId: number, now: number): Promise<number> {
  const at = new Date(now - 3 * dayMs);
  const reviewed = [
    { verdict: 'Benign', decision_id: 15, decided_at: new Date(now - dayMs), counted_outcome: 'malicious' },
    { verdict: 'Malicious', decision_id: 17, decided_at: new Date(now - 40 * dayMs), counted_outcome: 'benign' },
    { verdict: 'Suspicious', decision_id: 14, decided_at: null, counted_outcome: null },
    { verdict: null, decision_id: 12, decided_at: new Date(now - 2 * hourMs), counted_outcome: null },
  ] as const;
  const ids: number[] = [];
  for (const [index, { verdict, ...review }] of reviewed.entries()) {
    const { id } = await tx
      .insertInto('cases')
      .values({
        organisation_id: organisationId,
        title: `Reviewed 100% "${index}"`,
        criticality: index + 1,
        status: 'closed',
        closed_at: at,
        first_alert_at: at,
        last_alert_at: at,
        verdict,
        confidence: verdict === null ? null : 70,
      } as never)
      .returning('id')
      .executeTakeFirstOrThrow();
    ids.push(id);
    await tx
      .insertInto('case_reviews')
      .values({
        organisation_id: organisationId,
        case_id: id,
        case_closed_at: new Date(now - (index + 1) * 10 * dayMs),
        analyst_user_id: index % 2 === 0 ? userId : null,
        analyst_name: index % 2 === 0 ? 'Reviewing Person' : '',
        ...review,
      } as never)
      .execute();
  }
  return ids[0]!;
}

async function addFindings(tx: Tx, { organisationId, device, userId }: Place, now: number): Promise<void> {
  const merged = await addDevice(tx, organisationId, now, { name: `OLD-${organisationId}`, merged_into: device });
  const severities = ['critical', 'high', 'medium', 'low', 'informational'];
  const states = [
    {},
    {
      accepted_until: new Date(now + dayMs),
      accepted_by: userId,
      accepted_by_name: 'Accepting Person',
      accept_reason: 'Not reachable',
    },
    { accepted_until: new Date(now - dayMs), accepted_by: userId, accepted_by_name: 'Accepting Person' },
    { fixed_at: new Date(now - dayMs) },
    { is_repeated: true },
  ];
  let number = 0;
  for (const severity of severities)
    for (const state of states) {
      number += 1;
      await tx
        .insertInto('findings')
        .values({
          organisation_id: organisationId,
          device_id: number % 3 === 0 ? merged : device,
          source: number % 2 === 0 ? 'agent' : 'trivy',
          cve: `CVE-2026-${number % 7}`,
          title: number === 4 ? 'Path C:\\Temp and 50%_off' : 'Overflow',
          package: `lib-${number}`,
          ecosystem: 'Debian:12',
          installed_version: '1.0',
          fixed_version: number % 4 === 0 ? null : '1.1',
          severity,
          cvss: number % 5 === 0 ? null : (number % 10) + 0.5,
          priority: number,
          first_seen_at: new Date(now - number * 3 * dayMs),
          ...state,
        } as never)
        .execute();
    }
}

async function addResponses(tx: Tx, { organisationId, userId, caseId }: Place, now: number): Promise<void> {
  const states = ['requested', 'approved', 'sent', 'acknowledged', 'verified', 'failed', 'expired', 'released'];
  const actions = ['isolate', 'blockUser', 'block', 'killProcess', 'unisolate'];
  for (const [index, state] of states.entries())
    for (const [which, action] of actions.entries())
      await tx
        .insertInto('responses')
        .values({
          organisation_id: organisationId,
          case_id: which === 0 ? caseId : null,
          action,
          target: action === 'killProcess' ? String(100 + index) : `target-${index}-${which}`,
          device_name: which === 3 ? 'ALD-DC-01' : null,
          state,
          is_manual: which % 2 === 0,
          requested_by: index % 2 === 0 ? userId : null,
          requested_by_name: index % 2 === 0 ? 'Requesting Person' : '',
          requested_at: new Date(now - (index * 5 + which) * dayMs),
          changed_at: new Date(now - index * hourMs),
          expires_at: new Date(now + dayMs),
          approvals_needed: state === 'requested' ? which % 3 : 0,
          approver_kind: 'partner',
        } as never)
        .execute();
}

async function addSuppressions(tx: Tx, { organisationId, userId, ruleId }: Place, now: number): Promise<void> {
  for (const [index, days] of [-3, -1, 2, 20, 200].entries())
    await tx
      .insertInto('exceptions')
      .values({
        kind: 'suppression',
        organisation_id: organisationId,
        rule_id: index % 2 === 0 ? ruleId : null,
        device_name: index % 2 === 0 ? null : 'ALD-DC-01',
        user_name: index === 4 ? 'j.moreau' : null,
        reason: `Known scanner ${index}`,
        owner_user_id: userId,
        owner_name: 'Owning Person',
        created_at: new Date(now - 30 * dayMs),
        ends_at: new Date(now + days * dayMs),
        hidden_count: index * 5,
      } as never)
      .execute();
}

async function addCollectors(tx: Tx, { organisationId }: Place, now: number): Promise<void> {
  for (const [name, version, lastHours] of [
    ['beat-new', 'winlogbeat 8.19.2', 0],
    ['beat-old', 'winlogbeat 8.9.1', 1],
    ['beat-silent', 'filebeat 8.19', 72],
    ['router', null, 0],
    ['never', 'auditbeat 8.19.0', null],
  ] as const)
    await addDevice(tx, organisationId, now, {
      name: `${name}-${organisationId}`,
      agent_version: version,
      device_type: name === 'router' ? 'networkDevice' : 'workstation',
      last_event_at: lastHours === null ? null : new Date(now - lastHours * hourMs),
    });
  for (const [index, words] of [
    { buffer: { bytes: 10, isFull: false }, errors: [], dropped: {} },
    { buffer: { bytes: 5_000_000, isFull: true }, errors: ['disk full', 'no route'], dropped: { 'too-large': 3, full: 4 } },
    {},
    {},
  ].entries()) {
    const device = await addDevice(tx, organisationId, now, {
      name: `agent-${index}-${organisationId}`,
      agent_version: 'mdr-agent 1.0.0',
    });
    await tx
      .insertInto('agents')
      .values({
        organisation_id: organisationId,
        device_id: device,
        machine_id: randomUUID(),
        key_hash: randomBytes(32),
        platform: 'linux-x64',
        version: index === 0 ? '1.4.0' : '1.3.9',
        said: JSON.stringify(words),
        last_check_in_at: new Date(now - [30_000, 10 * 60_000, 2 * dayMs, 30_000][index]!),
        revoked_at: index === 3 ? new Date(now) : null,
        upgrade_version: '1.4.0',
        upgrade_state: [null, 'staged', 'offered', null][index],
      } as never)
      .execute();
  }
}

async function addAccounts(tx: Tx, { organisationId }: Place, now: number): Promise<void> {
  for (const [index, role] of ['Administrator', 'Manager', 'Analyst', 'Analyst', 'Manager'].entries())
    await tx
      .insertInto('users')
      .values({
        organisation_id: organisationId,
        email: `person${index}.${organisationId}@example.test`,
        first_name: `First${index}`,
        last_name: 'O’Last',
        role,
        password_hash: index === 1 ? null : 'x',
        is_mfa_set: index % 2 === 0,
        is_deleted: index === 3,
        last_sign_in_at: index === 2 ? null : new Date(now - index * 10 * dayMs),
      } as never)
      .execute();
  await sql`insert into mail_subscriptions (organisation_id, user_id, kind, is_on)
    select organisation_id, id, 'digest.weekly', false from users where organisation_id = ${organisationId} and role = 'Manager'`.execute(
    tx,
  );
}

async function addMails(tx: Tx, { organisationId, caseId }: Place, now: number): Promise<void> {
  for (const [index, state] of ['kept', 'waiting', 'sent', 'failed', 'failed'].entries())
    await tx
      .insertInto('mails')
      .values({
        created_at: new Date(now - index * dayMs),
        organisation_id: organisationId,
        kind: index === 0 ? 'case.escalation' : 'digest.weekly',
        from_name: 'Portal',
        from_address: 'portal@example.test',
        to_addresses: [`someone${index}@example.test`, 'second@example.test'],
        subject: `Case 50% escalated ${index}`,
        text: 'Text',
        html: '',
        state,
        sent_at: state === 'sent' ? new Date(now) : null,
        error: state === 'failed' ? '550 no such user' : '',
        case_id: index === 0 ? caseId : null,
      } as never)
      .execute();
}

const auditEntries = ({ organisationId, userId }: { organisationId: number; userId: number }) => `
  insert into audit (organisation_id, at, actor_user_id, actor_organisation_id, action, target, address, visibility)
  select ${organisationId}, now() - n * interval '7 hours', case when n < 5 then ${userId} end, ${organisationId},
    (array['user.signedIn', 'call.denied', 'review.decided', 'suppression.created', 'user.mfaReset', 'case.closed'])[n + 1], 'target ' || n, '198.51.100.7',
    case when n in (2, 3) then 'internal' else 'client' end
  from generate_series(0, 5) n`;

/** Tags, events, dead letters, report schedules and snapshots of the risk score. */
async function addRest(tx: Tx, { organisationId, device, userId }: Place, now: number): Promise<void> {
  const { id } = await tx
    .insertInto('tags')
    .values({ organisation_id: organisationId, name: 'Critical' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('tags')
    .values([
      { organisation_id: organisationId, name: 'Old', is_deleted: true },
      { organisation_id: organisationId, name: 'Unused' },
    ])
    .execute();
  await tx.insertInto('device_tags').values({ organisation_id: organisationId, device_id: device, tag_id: id }).execute();
  for (let index = 0; index < 6; index += 1) {
    await putEvents(tx, organisationId, [
      {
        at: now - index * 5 * hourMs,
        clock_skew: index === 5 ? 1 : 0,
        shape: 'ecs',
        device_name: index % 2 === 0 ? 'ALD-DC-01' : 'BIR-SRV-02',
        user_name: index % 3 === 0 ? 'j.moreau' : null,
        text: `event ${index}`,
        document: { process: { executable: `C:\\Tools\\"${index}".exe` }, source: { ip: '203.0.113.66' } },
      },
    ]);
    await tx
      .insertInto('dead_letters')
      .values({
        organisation_id: organisationId,
        received_at: new Date(now - index * dayMs),
        step: index % 2 === 0 ? 'parse' : 'detect',
        reason: index < 4 ? 'not-json' : 'too-large',
        raw: `raw ${index}`,
      } as never)
      .execute();
    await tx
      .insertInto('risk_snapshots')
      .values({
        organisation_id: organisationId,
        day: new Date(now - index * 3 * dayMs).toISOString().slice(0, 10),
        total_servers: 1,
        total_workstations: 1,
        monitored_servers: 1,
        monitored_workstations: 0,
        checked: 3,
        practices: 20,
        open_sum: 0,
        assigned_sum: 0,
        investigating_sum: 0,
        malicious_sum: 0,
        risk_score: 300 + index * 10 + (organisationId % 7),
        device_score: 100,
        practice_score: 200,
        case_score: 50,
      })
      .execute();
  }
  for (const [index, dayOfMonth] of [2, 5, 20].entries())
    await tx
      .insertInto('report_schedules')
      .values({
        organisation_id: organisationId,
        day_of_month: dayOfMonth,
        recipients: ['someone@example.test'],
        created_by: userId,
        created_by_name: 'Scheduling Person',
        last_sent_at: index === 0 ? null : new Date(now - index * dayMs),
        last_error: index === 1 ? 'None of its recipients exists' : '',
      } as never)
      .execute();
}
