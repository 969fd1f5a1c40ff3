/** Access test fixture: one object of each type per organisation. */
import { randomBytes, randomUUID } from 'node:crypto';
import { insertRow } from '../src/core/db/rows.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { insertConnection, newConnectionId } from '../src/features/connections/connections.store.ts';
import { insertOverride } from '../src/features/deliveries/deliveries.oncall.store.ts';
import { insertRule } from '../src/features/deliveries/deliveries.rules.store.ts';
import { insertTarget, newTargetId } from '../src/features/deliveries/deliveries.store.ts';
import { insertMapping, insertSource, newSourceId } from '../src/features/webhook-sources/webhook-sources.store.ts';
import type { TestApp } from './app.ts';
import { everything } from './deliveries.fixture.ts';
import { type SeedRule, seedAlerts } from './seed.ts';

/** One object of each type that an address can name. */
export interface Fixtures {
  userId: number;
  deviceId: string;
  tagId: number;
  alertId: number;
  keyId: number;
  mailId: number;
  caseId: number;
  narrativeId: number;
  proposalId: number;
  reviewId: number;
  responseId: number;
  suppressionId: number;
  /** A second device, and the agent on the first. */
  otherDeviceId: string;
  agentId: number;
  enrolmentTokenId: number;
  approvalRuleId: number;
  protectedId: number;
  /** A response with a collected file. */
  collectedId: number;
  findingId: number;
  scheduleId: number;
  reportJobId: number;
  /** Submitted knowledge and an unanswered question. */
  knowledgeId: number;
  synonymId: number;
  questionId: number;
  connectionId: number;
  webhookId: number;
  importId: number;
  inviteId: number;
  /** A target with a rule and a delivery that was given up. */
  targetId: number;
  deliveryRuleId: number;
  overrideId: number;
  deliveryId: number;
}

/** Values of a connection whose vendor is an address that is refused. */
export const refusedValues = { domain: '127.0.0.1:9', token: 'x'.repeat(30) };

const at = new Date('2026-11-02T10:00:00Z');
const inADay = () => new Date(Date.now() + 86_400_000);

export async function createObjects(t: TestApp, organisationId: number, rule: SeedRule): Promise<Fixtures> {
  const of = { organisation_id: organisationId };
  const { id: userId } = await t.user({ organisationId, role: 'Analyst' });
  const [alert] = await seedAlerts(t.db, organisationId, [{ at: at.getTime(), rule, device: 'host-1', user: 'ada' }]);
  const alertId = alert!.id;
  await t.ingestKey(organisationId);
  return scoped(t.db, 'system', async (tx) => {
    const key = await tx
      .selectFrom('ingest_keys')
      .select('id')
      .where('organisation_id', '=', organisationId)
      .executeTakeFirstOrThrow();
    const domain = { ...of, domain: `claimed-${organisationId}.example`, token: 'token' };
    await tx.insertInto('domains').values(domain).execute();
    const device = (name: string) => insertRow(tx, 'devices', { ...of, id: randomUUID(), name, device_type: 'server' });
    const deviceId = await device('host-1');
    return {
      userId,
      deviceId,
      alertId,
      keyId: key.id,
      otherDeviceId: await device('host-2'),
      tagId: await insertRow(tx, 'tags', { ...of, name: 'Tag' }),
      mailId: await insertRow(tx, 'mails', {
        ...of,
        kind: 'test',
        from_name: 'Sender',
        from_address: 'sender@test.example',
        to_addresses: ['reader@test.example'],
        subject: 'Subject',
        text: 'Text',
        html: '<p>Text</p>',
        state: 'kept',
      }),
      suppressionId: await insertRow(tx, 'exceptions', {
        kind: 'suppression',
        ...of,
        device_name: 'host-9',
        reason: 'Known scanner',
        owner_user_id: userId,
        owner_name: 'Owner',
        ends_at: inADay(),
      }),
      ...(await createCase(tx, of, { alertId, userId }, rule)),
      ...(await createResponseRules(tx, of)),
      ...(await createAgent(tx, of, deviceId)),
      ...(await createKnowledge(tx, of, userId)),
      ...(await createReports(tx, of, userId)),
      connectionId: await createConnection(t, tx, organisationId),
      webhookId: await createWebhook(t, tx, organisationId),
      importId: await insertRow(tx, 'file_imports', { ...of, file_name: 'a.json', format: 'evtx', created_by_name: 'Test' }),
      inviteId: await insertRow(tx, 'connection_invites', {
        ...of,
        token_hash: Buffer.from(`invite-${organisationId}`),
        kind: 'okta',
        name: 'Okta',
        email: 'it@test.example',
        created_by_name: 'Test',
        expires_at: inADay(),
      }),
      ...(await createTarget(t, tx, organisationId)),
      overrideId: await insertOverride(tx, organisationId, { userId, place: 1, starts: at, ends: new Date(at.getTime() + 1) }),
    };
  });
}

interface Owned {
  organisation_id: number;
}

async function createCase(tx: Tx, of: Owned, { alertId, userId }: Pick<Fixtures, 'alertId' | 'userId'>, rule: SeedRule) {
  const caseId = await insertRow(tx, 'cases', {
    ...of,
    title: 'Case',
    criticality: 4,
    created_at: at,
    first_alert_at: at,
    last_alert_at: at,
    alert_count: 1,
    new_count: 1,
    device_names: ['host-1'],
    user_names: ['ada'],
    needs_decision: false,
    verdict: 'Benign',
    confidence: 60,
  });
  const ofCase = { ...of, case_id: caseId };
  const joined = { alert_id: alertId, alert_at: at, rule_id: rule.id, criticality: 4, joined_by: 'It opened the case.' };
  const task = { task_number: 1, action: 'disable', target: 'ada' } as const;
  const artifact = { kind: 'user', value: 'ada', first_at: at, last_at: at } as const;
  const collected = { action: 'collectFile', target: '/etc/hosts', device_name: 'host-1', state: 'verified' } as const;
  await tx
    .insertInto('case_alerts')
    .values({ ...ofCase, ...joined })
    .execute();
  await tx
    .insertInto('case_tasks')
    .values({ ...ofCase, ...task })
    .execute();
  await tx
    .insertInto('case_artifacts')
    .values({ ...ofCase, ...artifact })
    .execute();
  return {
    caseId,
    narrativeId: await insertRow(tx, 'case_narratives', { ...ofCase, text: 'Narrative' }),
    proposalId: await insertRow(tx, 'case_proposals', {
      ...ofCase,
      kind: 'note',
      text: 'Proposal',
      proposed_by: userId,
      proposed_by_name: 'Proposer',
      proposed_at: at,
    }),
    reviewId: await insertRow(tx, 'case_reviews', ofCase),
    responseId: await insertRow(tx, 'responses', { ...ofCase, action: 'isolate', target: 'host-1', expires_at: inADay() }),
    collectedId: await insertRow(tx, 'responses', { ...ofCase, ...collected, expires_at: at }),
  };
}

async function createResponseRules(tx: Tx, of: Owned) {
  const rule = { action: 'collectFile', hours: 'outsideWorkingHours', approvers: 'client' } as const;
  const asset = { kind: 'device', value: 'host-8', reason: 'Runs the works' } as const;
  return {
    approvalRuleId: await insertRow(tx, 'approval_rules', { ...of, ...rule }),
    protectedId: await insertRow(tx, 'protected_assets', { ...of, ...asset }),
  };
}

async function createAgent(tx: Tx, of: Owned, deviceId: string) {
  return {
    enrolmentTokenId: await insertRow(tx, 'enrolment_tokens', {
      ...of,
      name: 'Token',
      prefix: 'pe_',
      hash: randomBytes(32),
      max_uses: 1,
      expires_at: inADay(),
    }),
    agentId: await insertRow(tx, 'agents', {
      ...of,
      device_id: deviceId,
      machine_id: randomUUID().replaceAll('-', ''),
      key_hash: randomBytes(32),
      platform: 'linux-x64',
      version: '1.0.0',
    }),
    findingId: await insertRow(tx, 'findings', {
      ...of,
      device_id: deviceId,
      source: 'agent',
      cve: 'CVE-2024-0001',
      package: 'openssl',
      installed_version: '3.0.11-1',
      fixed_version: null,
      severity: 'high',
      cvss: null,
      priority: 50,
      first_seen_at: at,
      fixed_at: null,
      accepted_until: null,
      accepted_by: null,
    }),
  };
}

async function createKnowledge(tx: Tx, of: Owned, userId: number) {
  return {
    knowledgeId: await insertRow(tx, 'sapphire_knowledge', { ...of, text: 'The backup runs at night.' }),
    synonymId: await insertRow(tx, 'sapphire_synonyms', { ...of, from_text: 'gizmo', to_text: 'devices' }),
    questionId: await insertRow(tx, 'sapphire_messages', {
      ...of,
      user_id: userId,
      conversation: randomUUID(),
      question: 'Who runs the scanner?',
      answer: 'I can’t answer that.',
      kind: 'unknown',
    }),
  };
}

async function createReports(tx: Tx, of: Owned, userId: number) {
  const schedule = { day_of_month: 3, recipients: ['reader@test.example'], created_by: null, last_sent_at: null };
  const job = { asked_by: userId, year: 2026, month: 3, clients: [of.organisation_id] };
  return {
    scheduleId: await insertRow(tx, 'report_schedules', { ...of, ...schedule }),
    reportJobId: await insertRow(tx, 'report_jobs', { ...of, ...job }),
  };
}

async function createConnection({ keys }: TestApp, tx: Tx, organisationId: number): Promise<number> {
  const { token, domain } = refusedValues;
  const id = await newConnectionId(tx);
  const secrets = await keys.seal(tx, { organisationId, column: 'connections.secrets', id }, JSON.stringify({ token }));
  await insertConnection(tx, {
    id,
    organisationId,
    kind: 'okta',
    name: 'Okta',
    account: domain,
    settings: { domain },
    secrets,
    mayAct: false,
  });
  return id;
}

export async function createWebhook({ keys }: TestApp, tx: Tx, organisationId: number): Promise<number> {
  const id = await newSourceId(tx);
  const secret = await keys.seal(tx, { organisationId, column: 'webhook_sources.secret', id }, 'whsec_AAAA');
  const address = String(id).padStart(24, 'A');
  await insertSource(tx, { id, organisationId, name: 'Acme', address, authentication: 'header', header: 'x-secret', secret });
  const mapping = { namespace: 'acme', records: [], fields: [] };
  await insertMapping(tx, { organisationId, sourceId: id, version: 1, mapping, userId: null, userName: 'Test' });
  return id;
}

/** A target with a rule, and a delivery that was given up. */
export async function createTarget({ keys }: TestApp, tx: Tx, organisationId: number) {
  const targetId = await newTargetId(tx);
  const secrets = await keys.seal(
    tx,
    { organisationId, column: 'delivery_targets.secrets', id: targetId },
    '{"secret":"whsec_AAAA"}',
  );
  const settings = { url: 'https://127.0.0.1:9/' };
  await insertTarget(tx, { id: targetId, organisationId, kind: 'webhook', name: 'Webhook', settings, secrets, follows: false });
  const deliveryRuleId = await insertRule(tx, organisationId, everything(targetId));
  const deliveryId = await insertRow(tx, 'deliveries', {
    organisation_id: organisationId,
    target_id: targetId,
    client_id: organisationId,
    event: 'report.ready',
    subject: 'report-1',
    object_id: 1,
    key: 'report.ready:1:',
    facts: JSON.stringify({ month: '2026-10' }),
    event_at: at,
    queue_at: at,
    next_at: at,
    expires_at: at,
    state: 'givenUp',
    words: 'The webhook returned 503.',
  });
  return { targetId, deliveryRuleId, deliveryId };
}
