/** Access test fixture: two partners with clients under the provider, one person of each kind, one object of each type per organisation. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { scoped } from '../src/core/db/scope.ts';
import { hashOfToken } from '../src/core/secrets.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { type SeedRule, seedAlerts, seedRule } from './seed.ts';

export const places = {
  provider: 1,
  partner: 2,
  otherPartner: 3,
  client: 10,
  sibling: 11,
  foreignClient: 20,
  providerClient: 30,
} as const;
export type Place = keyof typeof places;

/** Columns of the access table with each persona’s home and scope. */
export const people = {
  host: { role: 'Host', home: 'provider', sees: 'all' },
  providerAdmin: { role: 'Administrator', home: 'provider', sees: 'all' },
  superAnalyst: { role: 'Analyst', home: 'provider', sees: 'all' },
  partnerAdmin: { role: 'Administrator', home: 'partner', sees: 'tree' },
  partnerHost: { role: 'Host', home: 'partner', sees: 'tree' },
  partnerAnalyst: { role: 'Partner Analyst', home: 'partner', sees: 'tree' },
  partnerSuperAnalyst: { role: 'Analyst', home: 'partner', sees: 'tree' },
  partnerManager: { role: 'Manager', home: 'partner', sees: 'own' },
  clientAdmin: { role: 'Administrator', home: 'client', sees: 'own' },
  manager: { role: 'Manager', home: 'client', sees: 'own' },
  analyst: { role: 'Analyst', home: 'client', sees: 'own' },
  other: { role: 'Auditor', home: 'client', sees: 'own' },
  emptyRole: { role: '', home: 'client', sees: 'none' },
} as const satisfies Record<string, { role: string; home: Place; sees: 'all' | 'tree' | 'own' | 'none' }>;
export type Person = keyof typeof people;
export const personas = Object.keys(people) as Person[];

/** Visible organisations per persona, written out independently of the product. */
export function seenBy(person: Person): readonly number[] {
  const { home, sees } = people[person];
  if (sees === 'all') return Object.values(places);
  if (sees === 'tree') return [places.partner, places.client, places.sibling];
  return sees === 'own' ? [places[home]] : [];
}

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
  questionId: number;
}

export interface World {
  t: TestApp;
  users: Record<Person, TestUser>;
  things: Record<Place, Fixtures>;
  /** A new user that no other test uses. */
  newUser(place: Place): Promise<number>;
  /** A new tag, to be removed. */
  newTag(place: Place): Promise<number>;
  /** Another session, an API key and a saved view of this person. */
  newSession(person: Person): Promise<string>;
  newApiKey(person: Person): Promise<number>;
  newView(person: Person): Promise<number>;
  /** Path that blocks a user of the place’s case, issued to this person. */
  newBlockToken(person: Person, place: Place): Promise<string>;
  /** Bulk job of this person. */
  newJob(person: Person): Promise<number>;
  /** Answer given to this person. */
  newAnswer(person: Person, conversation: string): Promise<number>;
  /** Allows this person to submit knowledge. */
  letTeach(person: Person): Promise<void>;
  /** A new client of `parent`, for calls that change or remove one. */
  newClient(parent: 'partner' | 'otherPartner' | 'provider'): Promise<number>;
}

export async function accessFixture(environment: Record<string, string> = {}): Promise<World> {
  const t = await testApp(environment);
  await t.organisation({ id: places.provider, isPartner: true, name: 'Provider' });
  for (const place of ['partner', 'otherPartner'] as const)
    await t.organisation({ id: places[place], isPartner: true, parentId: places.provider, name: place });
  for (const [place, parent] of [
    ['client', 'partner'],
    ['sibling', 'partner'],
    ['foreignClient', 'otherPartner'],
    ['providerClient', 'provider'],
  ] as const)
    await t.organisation({ id: places[place], parentId: places[parent], name: place });
  for (const place of ['provider', 'partner', 'otherPartner'] as const)
    await scoped(t.db, 'system', (tx) =>
      tx.insertInto('brands').values({ organisation_id: places[place], sub_domain: place.toLowerCase(), name: place }).execute(),
    );
  const users = {} as Record<Person, TestUser>;
  for (const person of personas)
    users[person] = await t.user({ organisationId: places[people[person].home], role: people[person].role });
  const rule = await seedRule(t.db);
  const things = {} as Record<Place, Fixtures>;
  for (const place of Object.keys(places) as Place[]) {
    // A second administrator, so that removing one leaves one.
    for (let i = 0; i < 2; i++) await t.user({ organisationId: places[place], role: 'Administrator' });
    things[place] = await thingsOf(t, places[place], rule);
  }
  let next = 500;
  return {
    t,
    users,
    things,
    newUser: async (place) => (await t.user({ organisationId: places[place], role: 'Analyst' })).id,
    newTag: (place) =>
      scoped(t.db, 'system', async (tx) => {
        const tag = await tx
          .insertInto('tags')
          .values({ organisation_id: places[place], name: `Tag ${++next}` })
          .returning('id')
          .executeTakeFirstOrThrow();
        return tag.id;
      }),
    newSession: (person) => {
      const { id: user_id, organisationId: organisation_id } = users[person];
      const session = { id: randomUUID(), user_id, organisation_id, expires_at: new Date(Date.now() + 3_600_000) };
      return scoped(t.db, 'system', async (tx) => {
        await tx.insertInto('sessions').values(session).execute();
        return session.id;
      });
    },
    newApiKey: (person) => {
      const { id: user_id, organisationId: organisation_id } = users[person];
      const key = { name: 'Key', prefix: 'pak_', hash: randomBytes(32), expires_at: new Date() };
      return scoped(t.db, 'system', async (tx) => {
        const row = { ...key, scopes: ['read' as const], user_id, organisation_id };
        return (await tx.insertInto('api_keys').values(row).returning('id').executeTakeFirstOrThrow()).id;
      });
    },
    newView: (person) => {
      const { id: user_id, organisationId: organisation_id } = users[person];
      const view = { list: 'alerts', name: `Of the world ${++next}`, query: '' } as const;
      return scoped(t.db, 'system', async (tx) => {
        const row = { ...view, columns: [], user_id, organisation_id };
        return (await tx.insertInto('saved_views').values(row).returning('id').executeTakeFirstOrThrow()).id;
      });
    },
    newBlockToken: (person, place) => {
      const token = randomBytes(32).toString('base64url');
      return scoped(t.db, 'system', async (tx) => {
        await tx
          .insertInto('block_tokens')
          .values({
            token_hash: hashOfToken(token),
            organisation_id: places[place],
            case_id: things[place].caseId,
            actor_user_id: users[person].id,
            user_name: 'ada',
            expires_at: new Date(Date.now() + 3_600_000),
          })
          .execute();
        return token;
      });
    },
    newJob: (person) => {
      const { id: user_id, organisationId: organisation_id } = users[person];
      const job = { kind: 'cases', what: '{}', actor: '{}', state: 'done', user_id, organisation_id };
      return scoped(t.db, 'system', async (tx) => {
        return (await tx.insertInto('bulk_jobs').values(job).returning('id').executeTakeFirstOrThrow()).id;
      });
    },
    newAnswer: (person, conversation) =>
      scoped(t.db, 'system', async (tx) => {
        const { id: user_id, organisationId: organisation_id } = users[person];
        const message = {
          user_id,
          organisation_id,
          conversation,
          question: 'How many?',
          answer: 'None.',
          kind: 'answer',
        } as const;
        return (await tx.insertInto('sapphire_messages').values(message).returning('id').executeTakeFirstOrThrow()).id;
      }),
    letTeach: (person) =>
      scoped(t.db, 'system', async (tx) => {
        const { id: user_id, organisationId: organisation_id } = users[person];
        await tx
          .insertInto('sapphire_teachers')
          .values({ user_id, organisation_id })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),
    newClient: (parent) => t.organisation({ id: ++next, parentId: places[parent], name: `Client ${next}` }),
  };
}

async function thingsOf(t: TestApp, organisationId: number, rule: SeedRule): Promise<Fixtures> {
  const user = await t.user({ organisationId, role: 'Analyst' });
  const [alert] = await seedAlerts(t.db, organisationId, [
    { at: Date.parse('2026-11-02T10:00:00Z'), rule, device: 'host-1', user: 'ada' },
  ]);
  await t.ingestKey(organisationId);
  return scoped(t.db, 'system', async (tx) => {
    const device = await tx
      .insertInto('devices')
      .values({ id: randomUUID(), organisation_id: organisationId, name: 'host-1', device_type: 'server' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const tag = await tx
      .insertInto('tags')
      .values({ organisation_id: organisationId, name: 'Tag' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const key = await tx
      .selectFrom('ingest_keys')
      .select('id')
      .where('organisation_id', '=', organisationId)
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('domains')
      .values({ organisation_id: organisationId, domain: `claimed-${organisationId}.example`, token: 'token' })
      .execute();
    const mail = await tx
      .insertInto('mails')
      .values({
        organisation_id: organisationId,
        kind: 'test',
        from_name: 'Sender',
        from_address: 'sender@test.example',
        to_addresses: ['reader@test.example'],
        subject: 'Subject',
        text: 'Text',
        html: '<p>Text</p>',
        state: 'kept',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const at = new Date('2026-11-02T10:00:00Z');
    const found = await tx
      .insertInto('cases')
      .values({
        organisation_id: organisationId,
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
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const of = { organisation_id: organisationId, case_id: found.id };
    await tx
      .insertInto('case_alerts')
      .values({ ...of, alert_id: alert!.id, alert_at: at, rule_id: rule.id, criticality: 4, joined_by: 'It opened the case.' })
      .execute();
    await tx
      .insertInto('case_tasks')
      .values({ ...of, task_number: 1, action: 'disable', target: 'ada' })
      .execute();
    await tx
      .insertInto('case_artifacts')
      .values({ ...of, kind: 'user', value: 'ada', first_at: at, last_at: at })
      .execute();
    const [narrative, review, response] = [
      await tx
        .insertInto('case_narratives')
        .values({ ...of, text: 'Narrative' })
        .returning('id')
        .executeTakeFirstOrThrow(),
      await tx.insertInto('case_reviews').values(of).returning('id').executeTakeFirstOrThrow(),
      await tx
        .insertInto('responses')
        .values({ ...of, action: 'isolate', target: 'host-1', expires_at: new Date(Date.now() + 86_400_000) })
        .returning('id')
        .executeTakeFirstOrThrow(),
    ];
    const suppression = await tx
      .insertInto('suppressions')
      .values({
        organisation_id: organisationId,
        device_name: 'host-9',
        reason: 'Known scanner',
        owner_user_id: user.id,
        owner_name: 'Owner',
        ends_at: new Date(Date.now() + 86_400_000),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const other = await tx
      .insertInto('devices')
      .values({ id: randomUUID(), organisation_id: organisationId, name: 'host-2', device_type: 'server' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const token = await tx
      .insertInto('enrolment_tokens')
      .values({
        organisation_id: organisationId,
        name: 'Token',
        prefix: 'pe_',
        hash: randomBytes(32),
        max_uses: 1,
        expires_at: new Date(Date.now() + 86_400_000),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const agent = await tx
      .insertInto('agents')
      .values({
        organisation_id: organisationId,
        device_id: device.id,
        machine_id: randomUUID().replaceAll('-', ''),
        key_hash: randomBytes(32),
        platform: 'linux-x64',
        version: '1.0.0',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const knowledge = await tx
      .insertInto('sapphire_knowledge')
      .values({ organisation_id: organisationId, text: 'The backup runs at night.' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const question = await tx
      .insertInto('sapphire_messages')
      .values({
        organisation_id: organisationId,
        user_id: user.id,
        conversation: randomUUID(),
        question: 'Who runs the scanner?',
        answer: 'I can’t answer that.',
        kind: 'unknown',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const approvalRule = await tx
      .insertInto('approval_rules')
      .values({ organisation_id: organisationId, action: 'collectFile', hours: 'outsideWorkingHours', approvers: 'client' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const asset = await tx
      .insertInto('protected_assets')
      .values({ organisation_id: organisationId, kind: 'device', value: 'host-8', reason: 'Runs the works' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const collected = await tx
      .insertInto('responses')
      .values({ ...of, action: 'collectFile', target: '/etc/hosts', device_name: 'host-1', state: 'verified', expires_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    const finding = await tx
      .insertInto('findings')
      .values({
        organisation_id: organisationId,
        device_id: device.id,
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
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const schedule = await tx
      .insertInto('report_schedules')
      .values({
        organisation_id: organisationId,
        day_of_month: 3,
        recipients: ['reader@test.example'],
        created_by: null,
        last_sent_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const reportJob = await tx
      .insertInto('report_jobs')
      .values({ organisation_id: organisationId, asked_by: user.id, year: 2026, month: 3, clients: [organisationId] })
      .returning('id')
      .executeTakeFirstOrThrow();
    return {
      userId: user.id,
      deviceId: device.id,
      tagId: tag.id,
      alertId: alert!.id,
      keyId: key.id,
      mailId: mail.id,
      caseId: found.id,
      narrativeId: narrative.id,
      reviewId: review.id,
      responseId: response.id,
      suppressionId: suppression.id,
      otherDeviceId: other.id,
      agentId: agent.id,
      enrolmentTokenId: token.id,
      knowledgeId: knowledge.id,
      questionId: question.id,
      approvalRuleId: approvalRule.id,
      protectedId: asset.id,
      collectedId: collected.id,
      findingId: finding.id,
      scheduleId: schedule.id,
      reportJobId: reportJob.id,
    };
  });
}

/** Parent of each organisation. */
export async function parentsOf({ t }: World): Promise<Map<number, number>> {
  const rows = await scoped(t.db, 'system', (tx) => tx.selectFrom('organisations').select(['id', 'parent_id']).execute());
  return new Map(rows.map(({ id, parent_id }) => [id, parent_id ?? 0]));
}

/** Fingerprint of all stored data except rows every call writes, to prove that nothing changed. */
export async function fingerprint({ t }: World): Promise<string> {
  return scoped(t.db, 'system', async (tx) => {
    const { rows: tables } = await sql<{ name: string; isTouched: boolean }>`
      select c.relname as name, exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname in ('last_seen_at', 'last_used_at') and not a.attisdropped
      ) as "isTouched"
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('audit', 'attempts', 'ingest_counters') and has_table_privilege(c.oid, 'select') order by 1`.execute(
      tx,
    );
    const prints = tables.map(({ name, isTouched }) => {
      // Last-seen times change on every call.
      const row = isTouched ? `(to_jsonb(t) - array['last_seen_at', 'last_used_at'])::text` : 't::text';
      return `select '${name} ' || count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)), 0) as print from "${name}" t`;
    });
    const { rows } = await sql.raw<{ print: string }>(prints.join(' union all ')).execute(tx);
    return rows
      .map(({ print }) => print)
      .sort()
      .join('\n');
  });
}

/** Id of the newest audit entry. */
export const lastAuditEntry = ({ t }: World): Promise<number> =>
  scoped(t.db, 'system', async (tx) => {
    const { id } = await tx
      .selectFrom('audit')
      .select(sql<number>`coalesce(max(id), 0)::integer`.as('id'))
      .executeTakeFirstOrThrow();
    return id;
  });

/** Actor and target of each later audit entry. */
export const auditEntriesAfter = ({ t }: World, id: number): Promise<string[]> =>
  scoped(t.db, 'system', async (tx) => {
    const rows = await tx.selectFrom('audit').select(['actor_user_id', 'target']).where('id', '>', sql<number>`${id}`).execute();
    return rows.map(({ actor_user_id, target }) => `${actor_user_id} ${target}`);
  });

export const auditCount = ({ t }: World): Promise<number> =>
  scoped(t.db, 'system', async (tx) => {
    const { count } = await tx.selectFrom('audit').select(sql<number>`count(*)::integer`.as('count')).executeTakeFirstOrThrow();
    return count;
  });
