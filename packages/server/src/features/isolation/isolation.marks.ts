/** Marked objects of an organisation: one of each kind that a call can name, with texts that stand nowhere else. They live in a rehearsal only. */
import { randomBytes, randomUUID } from 'node:crypto';
import { providerId } from '@parapet/contract/access.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { insertRow } from '../../core/db/rows.ts';
import type { Tx } from '../../core/db/scope.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { encodeBlock } from '../../domain/events/block.write.ts';
import { insertBlock } from '../../domain/events/blockRows.ts';

/** The names under which calls look for an object, and the text beside them that an answer to another organisation must not contain. */
export interface Words {
  name: string;
  witness: string;
}

/** Both are of letters and digits, so that they are found in every format. */
export const newWords = (): Words => ({
  name: `zq${randomBytes(8).toString('hex')}`,
  witness: `zv${randomBytes(8).toString('hex')}`,
});

export type Marks = Awaited<ReturnType<typeof insertMarks>>;

interface Owned {
  organisation_id: number;
}

/** `at`: time of the objects, on a day of which nothing is counted yet, so that no counter of the living is locked. */
export async function insertMarks(tx: Tx, organisationId: number, words: Words, at: Date) {
  const of = { organisation_id: organisationId };
  const { name, witness } = words;
  const later = new Date(at.getTime() + dayMs);
  const userId = await insertRow(tx, 'users', {
    ...of,
    email: `${witness}@${name}.example`,
    first_name: name,
    last_name: witness,
    role: 'Analyst',
  });
  const alert = await insertAlert(tx, organisationId, words, at);
  await recordAudit(tx, systemAuditor(organisationId), { organisationId, action: 'call.denied', target: witness });
  const seen = { first_at: at, last_at: at, until: later, view: 'users', looks: 1, is_opened: true };
  const seenBy = { user_id: userId, person_name: witness, person_organisation_name: name };
  await insertRow(tx, 'access_looks', { ...of, ...seen, ...seenBy, kinds: ['users'], channels: ['portal'] });
  const mail = { from_name: name, from_address: 'sender@mark.example', to_addresses: ['reader@mark.example'] };
  const suppression = { device_name: name, reason: witness, owner_user_id: userId, owner_name: name, ends_at: later };
  const marked = await insertCase(tx, of, alert, words, at);
  await insertRow(tx, 'case_proposals', {
    ...of,
    case_id: marked.caseId,
    kind: 'note',
    text: witness,
    proposed_by: userId,
    proposed_by_name: witness,
    proposed_at: at,
  });
  const grant = { user_id: userId, grant_id: randomUUID(), client: witness, redirect_host: witness };
  await insertRow(tx, 'assistant_grants', { ...of, ...grant, scopes: ['read'] });
  const sources = await insertSources(tx, of, words, later);
  await insertIncident(tx, of, words, { ...alert, connectionId: sources.connectionId });
  await insertBilling(tx, of, words, at);
  return {
    organisationId,
    name,
    userId,
    ...alert,
    ...(await insertDevice(tx, of, words, at)),
    ...marked,
    ...sources,
    ...(await insertTarget(tx, of, words, at, marked.caseId)),
    pastSearchId: await insertPastSearch(tx, of, words, at),
    tagId: await insertRow(tx, 'tags', { ...of, name: witness }),
    mailId: await insertRow(tx, 'mails', {
      ...of,
      ...mail,
      kind: 'test',
      subject: witness,
      text: witness,
      html: `<p>${witness}</p>`,
      state: 'kept',
    }),
    suppressionId: await insertRow(tx, 'exceptions', { ...of, kind: 'suppression', ...suppression }),
    protectedId: await insertRow(tx, 'protected_assets', { ...of, kind: 'device', value: name, reason: witness }),
    knowledgeId: await insertRow(tx, 'sapphire_knowledge', { ...of, text: `${name} means ${witness}.` }),
    synonymId: await insertRow(tx, 'sapphire_synonyms', { ...of, from_text: name, to_text: witness }),
    scheduleId: await insertRow(tx, 'report_schedules', {
      ...of,
      day_of_month: 3,
      recipients: [`${witness}@mark.example`],
      created_by: null,
      last_sent_at: null,
    }),
    reportJobId: await insertRow(tx, 'report_jobs', { ...of, asked_by: userId, year: 2026, month: 3, clients: [organisationId] }),
  };
}

/** An alert of any rule, with its event. */
async function insertAlert(tx: Tx, organisationId: number, { name, witness }: Words, at: Date) {
  const rule = await tx.selectFrom('rules').select(['id', 'key', 'criticality']).orderBy('id').limit(1).executeTakeFirstOrThrow();
  const of = { organisation_id: organisationId };
  const alertId = await insertRow(tx, 'alerts', {
    ...of,
    at,
    last_at: at,
    raised_at: at,
    rule_id: rule.id,
    criticality: rule.criticality,
    device_name: name,
    user_name: name,
    summary: witness,
  });
  const eventId = randomUUID();
  const document = { message: witness, host: { name }, user: { name } };
  const copy = { event_id: eventId, event_at: at, text: witness, why: JSON.stringify({ condition: '', items: [] }) };
  await tx
    .insertInto('alert_events')
    .values({ ...of, alert_id: alertId, alert_at: at, ...copy, document: JSON.stringify(document) })
    .execute();
  const stored = {
    id: eventId,
    at: at.getTime(),
    receivedAt: at.getTime(),
    clockSkew: 0,
    shape: 'syslog',
    deviceName: name,
    userName: name,
  };
  const event = { ...stored, text: `${name} ${witness}`, document };
  // Without the lock of the organisation's writers, which the living need: no other transaction sees this block.
  await insertBlock(tx, organisationId, [event], await encodeBlock([event]), { isRecent: true });
  return { alertId, alertAt: at, eventId, ruleId: rule.id, ruleKey: rule.key };
}

async function insertDevice(tx: Tx, of: Owned, { name, witness }: Words, at: Date) {
  const deviceId = await insertRow(tx, 'devices', { ...of, id: randomUUID(), name, device_type: 'server' });
  const agent = {
    machine_id: randomUUID().replaceAll('-', ''),
    key_hash: randomBytes(32),
    platform: 'linux-x64',
    version: '1.0.0',
  };
  const finding = {
    source: 'agent',
    cve: 'CVE-2024-0001',
    installed_version: '1',
    fixed_version: null,
    severity: 'high',
    cvss: null,
  } as const;
  const state = { priority: 50, first_seen_at: at, fixed_at: null, accepted_until: null, accepted_by: null };
  return {
    deviceId,
    agentId: await insertRow(tx, 'agents', { ...of, device_id: deviceId, ...agent }),
    findingId: await insertRow(tx, 'findings', { ...of, device_id: deviceId, package: witness, ...finding, ...state }),
  };
}

type Alert = Awaited<ReturnType<typeof insertAlert>>;

async function insertCase(tx: Tx, of: Owned, { alertId, ruleId }: Alert, { name, witness }: Words, at: Date) {
  const times = { created_at: at, first_alert_at: at, last_alert_at: at };
  const counts = {
    alert_count: 1,
    new_count: 1,
    criticality: 4,
    needs_decision: false,
    verdict: 'Benign',
    confidence: 60,
  } as const;
  const caseId = await insertRow(tx, 'cases', {
    ...of,
    title: witness,
    ...times,
    ...counts,
    device_names: [name],
    user_names: [name],
  });
  const ofCase = { ...of, case_id: caseId };
  await tx
    .insertInto('case_alerts')
    .values({ ...ofCase, alert_id: alertId, alert_at: at, rule_id: ruleId, criticality: 4, joined_by: witness })
    .execute();
  await tx
    .insertInto('case_artifacts')
    .values({ ...ofCase, kind: 'user', value: name, first_at: at, last_at: at })
    .execute();
  const response = { target: name, device_name: name, expires_at: at };
  return {
    caseId,
    narrativeId: await insertRow(tx, 'case_narratives', { ...ofCase, text: witness }),
    reviewId: await insertRow(tx, 'case_reviews', ofCase),
    responseId: await insertRow(tx, 'responses', { ...ofCase, ...response, action: 'collectFile', state: 'verified' }),
  };
}

/** Ways in for data: keys, connections, webhooks, files. Their secrets open nothing. */
async function insertSources(tx: Tx, of: Owned, { name, witness }: Words, later: Date) {
  await tx
    .insertInto('domains')
    .values({ ...of, domain: `${witness}.example`, token: witness })
    .execute();
  const by = { created_by_name: name };
  const secret = Buffer.from('opens nothing');
  const webhookId = await insertRow(tx, 'webhook_sources', {
    ...of,
    name: witness,
    address: randomBytes(12).toString('hex'),
    authentication: 'header',
    header: 'x-mark',
    secret,
  });
  const mapping = JSON.stringify({ namespace: witness, records: [], fields: [] });
  await tx
    .insertInto('webhook_mappings')
    .values({ ...of, source_id: webhookId, version: 1, mapping, saved_by: null, saved_by_name: name })
    .execute();
  // One of a partner is offered to its clients, which would see that it is there.
  await sql`
    insert into vendor_applications (organisation_id, client_id, client_secret, login)
    select id, ${witness}, ${secret}, ${`${witness}.example`} from organisations where id = ${of.organisation_id} and not is_partner`.execute(
    tx,
  );
  return {
    webhookId,
    keyId: await insertRow(tx, 'ingest_keys', { ...of, name: witness, prefix: 'mark_', hash: randomBytes(32) }),
    tokenId: await insertRow(tx, 'enrolment_tokens', {
      ...of,
      name: witness,
      prefix: 'mark_',
      hash: randomBytes(32),
      max_uses: 1,
      expires_at: later,
    }),
    connectionId: await insertRow(tx, 'connections', {
      ...of,
      kind: 'okta',
      name: witness,
      account: witness,
      settings: JSON.stringify({ domain: witness }),
      secrets: secret,
    }),
    importId: await insertRow(tx, 'file_imports', { ...of, file_name: `${witness}.json`, format: 'evtx', ...by }),
    inviteId: await insertRow(tx, 'connection_invites', {
      ...of,
      token_hash: randomBytes(32),
      kind: 'okta',
      name: witness,
      email: `${witness}@mark.example`,
      ...by,
      expires_at: later,
    }),
  };
}

async function insertIncident(
  tx: Tx,
  of: Owned,
  { witness }: Words,
  { alertId, alertAt, connectionId }: { alertId: number; alertAt: Date; connectionId: number },
): Promise<void> {
  await tx
    .insertInto('incident_syncs')
    .values({ ...of, connection_id: connectionId, error: witness })
    .execute();
  const shown = { title: witness, url: `https://${witness}.example/`, status: witness, assigned_to: witness, conflict: witness };
  const incidentId = await insertRow(tx, 'incidents', {
    ...of,
    connection_id: connectionId,
    kind: 'incident',
    vendor_id: '1',
    ...shown,
  });
  await tx
    .insertInto('incident_alerts')
    .values({ ...of, incident_id: incidentId, alert_id: alertId, alert_at: alertAt })
    .execute();
}

/** A search of the provider's that found something here. */
async function insertPastSearch(tx: Tx, of: Owned, { name, witness }: Words, at: Date): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into past_searches (organisation_id, kind, name, requested_at) values (${providerId}, 'indicators', 'mark', ${at}) returning id`.execute(
    tx,
  );
  const { id } = rows[0]!;
  const examples = JSON.stringify([{ at: at.getTime(), deviceName: name, userName: witness, field: witness, text: witness }]);
  await sql`
    with client as (
      insert into past_search_clients (search_id, organisation_id, searched_to, first_at) values (${id}, ${of.organisation_id}, ${at}, ${at}))
    insert into past_search_hits (search_id, organisation_id, kind, value, count, first_at, last_at, examples)
    values (${id}, ${of.organisation_id}, 'domain', ${witness}, 1, ${at}, ${at}, ${examples}::jsonb)`.execute(tx);
  return id;
}

/** A counted month with a user and a correction. */
async function insertBilling(tx: Tx, of: Owned, { witness }: Words, at: Date): Promise<void> {
  const month = sql<string>`date_trunc('month', ${at}::timestamptz at time zone 'UTC')::date`;
  const counts = { level: 1, servers: 0, workstations: 0, users: 1, mailboxes: 0, bytes: 0 };
  const ofMonth = { ...of, month };
  await tx
    .insertInto('billing_months')
    .values({ ...ofMonth, ...counts, counted_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const day = sql<string>`${month}`;
  await tx
    .insertInto('billing_items')
    .values({ ...ofMonth, key: `user:${witness}`, kind: 'user', name: witness, sources: ['mark'], first_day: day, last_day: day })
    .execute();
  await insertRow(tx, 'billing_corrections', {
    ...ofMonth,
    measure: 'users',
    amount: 1,
    reason: witness,
    created_by: null,
    created_by_name: witness,
    created_at: at,
  });
}

async function insertTarget(tx: Tx, of: Owned, { name, witness }: Words, at: Date, caseId: number) {
  const targetId = await insertRow(tx, 'delivery_targets', {
    ...of,
    kind: 'webhook',
    name: witness,
    settings: JSON.stringify({ url: `https://${witness}.example/` }),
    follows: false,
    secrets: Buffer.from('opens nothing'),
  });
  await insertRow(tx, 'case_tickets', {
    ...of,
    target_id: targetId,
    client_id: of.organisation_id,
    case_id: caseId,
    ticket_id: '1',
    url: `https://${witness}.example/`,
    status: witness,
    synced_at: at,
    checked_at: at,
    conflict: witness,
  });
  const times = { event_at: at, queue_at: at, next_at: at, expires_at: at };
  const deliveryId = await insertRow(tx, 'deliveries', {
    ...of,
    target_id: targetId,
    client_id: of.organisation_id,
    event: 'report.ready',
    subject: name,
    object_id: 1,
    key: name,
    facts: JSON.stringify({ month: '2026-10' }),
    ...times,
    state: 'givenUp',
    words: witness,
  });
  return { targetId, deliveryId };
}
