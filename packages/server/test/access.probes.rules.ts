/** Access probes of detection rules. */
import { randomUUID } from 'node:crypto';
import { providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import { scoped } from '../src/core/db/scope.ts';
import { object, organisation, type Probe, type SkillContext } from './access.probes.kinds.ts';

/** A built-in rule. */
/** A rule of the product. */
export const builtIn = '7a224e68-aed2-430f-a6a2-d0771e1538bd';
const reason = 'Known behaviour';
const yaml = 'title: Probe\nlogsource: { product: probe }\ndetection: { selection: { action: probe }, condition: selection }\n';
const filter = `title: Probe\nlogsource: { product: m365 }\nfilter:\n  rules: [${builtIn}]\n  selection: { UserId: probe }\n  condition: not selection\n`;
const missing = 2_147_483_646;

/** A draft of a new rule of the organisation. */
async function aVersion({ world, id, isMissing }: SkillContext): Promise<{ id: number; key: string }> {
  const key = randomUUID();
  if (isMissing || id === 0) return { id: missing, key };
  const row = await scoped(world.t.db, 'system', (tx) =>
    tx
      .insertInto('rule_versions')
      .values({
        organisation_id: id,
        rule_key: key,
        version: 1,
        state: 'draft',
        yaml,
        base: null,
        revision: '',
        title: 'Probe',
        criticality: 3,
        note: '',
        author_id: null,
        author_name: '',
        shadow_since: null,
        stopped_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return { id: row.id, key };
}

async function aTest(context: SkillContext): Promise<number> {
  const { key } = await aVersion(context);
  if (context.isMissing || context.id === 0) return missing;
  const row = await scoped(context.world.t.db, 'system', (tx) =>
    tx
      .insertInto('rule_tests')
      .values({ organisation_id: context.id, rule_key: key, name: 'Probe', is_match: true, document: '{}', author_name: '' })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return row.id;
}

async function anException({ world, id, isMissing }: SkillContext): Promise<number> {
  if (isMissing || id === 0) return missing;
  const row = await scoped(world.t.db, 'system', (tx) =>
    tx
      .insertInto('exceptions')
      .values({
        organisation_id: id,
        kind: 'exception',
        rule_key: builtIn,
        yaml: filter,
        reason: '',
        owner_user_id: null,
        owner_name: '',
        ends_at: new Date(Date.now() + 86_400_000),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return row.id;
}

/** A cancelled preview: the organisation may start others. */
async function aPreview({ world, id, isMissing }: SkillContext): Promise<number> {
  if (isMissing || id === 0) return missing;
  const row = await scoped(world.t.db, 'system', (tx) =>
    tx
      .insertInto('rule_previews')
      .values({
        organisation_id: id,
        requested_by: null,
        rule_key: builtIn,
        change: JSON.stringify({ kind: 'exception', clientOrganizationID: id, ruleID: builtIn, yaml: filter }),
        client_ids: [id],
        first_at: new Date(),
        last_at: new Date(),
        state: 'cancelled',
        leased_until: null,
        result: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return row.id;
}

const ofProvider = (input: Probe['input']): Probe => ({ names: 'self', overPartners: true, input });

const newestGrouping = ({ db }: SkillContext['world']['t']): Promise<number> =>
  scoped(db, 'system', async (tx) => {
    const { rows } = await sql<{ newest: number }>`
      select coalesce(max(version), 0) as newest from grouping_versions where organisation_id = ${providerId}`.execute(tx);
    return rows[0]!.newest;
  });

async function aGroupingVersion({ world }: SkillContext): Promise<number> {
  return scoped(world.t.db, 'system', async (tx) => {
    // Probes run beside each other.
    await sql`lock table grouping_versions in share row exclusive mode`.execute(tx);
    const { rows } = await sql<{ id: number }>`
      insert into grouping_versions (organisation_id, version, state, parameters, common, note, author_name)
      select ${providerId}, coalesce(max(version), 0) + 1, 'draft', '{}', '[]', '', '' from grouping_versions
      where organisation_id = ${providerId} returning id`.execute(tx);
    return rows[0]!.id;
  });
}

/** A cancelled one: others may be started. */
async function aGroupingPreview({ world }: SkillContext): Promise<number> {
  const change = JSON.stringify({ clientOrganizationID: providerId, parameters: [], common: [], minutesPerCase: 20 });
  const { rows } = await scoped(world.t.db, 'system', (tx) =>
    sql<{ id: number }>`
      insert into grouping_previews (organisation_id, change, client_ids, first_at, last_at, state)
      values (${providerId}, ${change}::jsonb, '{}', now(), now(), 'cancelled') returning id`.execute(tx),
  );
  return rows[0]!.id;
}

/** An import of the provider that waits for acceptance. */
async function anImport({ world }: SkillContext): Promise<number> {
  const { rows } = await scoped(world.t.db, 'system', (tx) =>
    sql<{ id: number }>`
      insert into rule_imports (organisation_id, name, origin, state, requester)
      values (${providerId}, ${randomUUID()}, 'archive', 'ready', '') returning id`.execute(tx),
  );
  return rows[0]!.id;
}

/** An import with a rule that left its pack. */
async function anItem(context: SkillContext): Promise<number> {
  const id = await anImport(context);
  await scoped(context.world.t.db, 'system', (tx) =>
    sql`
      insert into rule_import_items (import_id, organisation_id, number, rule_key, title, path, log_source, is_known_source, is_correlation, status,
        detail, author, licence, revision, yaml)
      values (${id}, ${providerId}, 0, 'probe-item', 'Probe', 'probe.yml', '', true, false, 'removed', '', '', '', '', '')`.execute(
      tx,
    ),
  );
  return id;
}

async function aPastSearch({ world }: SkillContext): Promise<number> {
  const { rows } = await scoped(world.t.db, 'system', (tx) =>
    sql<{ id: number }>`
      with search as (insert into past_searches (organisation_id, kind, name, requested_at)
        values (${providerId}, 'indicators', 'Probe', now()) returning id),
      clients as (insert into past_search_clients (search_id, organisation_id, searched_to, first_at)
        select s.id, o.id, now(), now() from search s, organisations o)
      select id from search`.execute(tx),
  );
  return rows[0]!.id;
}

async function aPack({ world }: SkillContext): Promise<number> {
  const { id } = await scoped(world.t.db, 'system', (tx) =>
    tx
      .insertInto('rule_packs')
      .values({ organisation_id: providerId, name: randomUUID(), origin: 'archive', signer: null, changed_at: new Date() })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return id;
}

export const ruleProbes: Record<string, Probe> = {
  'rules.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'rules.get': organisation(({ id }) => ({ params: { client: id, ruleID: builtIn } }), { takesAll: true }),
  'rules.check': { names: 'self', input: () => ({ body: { yaml } }) },
  'rules.saveDraft': organisation(({ id }) => ({
    body: { clientOrganizationID: id, ruleID: null, afterVersion: 0, yaml, note: reason },
  })),
  'rules.changeState': object(async (context) => ({
    params: { id: (await aVersion(context)).id },
    body: { state: 'retired', why: reason },
  })),
  'rules.saveOverride': organisation(({ id }) => ({
    body: { clientOrganizationID: id, ruleID: builtIn, isOn: null, criticality: null, reason },
  })),
  'rules.addException': organisation(
    ({ id }) => ({
      body: { clientOrganizationID: id, ruleID: builtIn, yaml: filter, reason, endTime: '2027-01-01T00:00:00Z' },
    }),
    { only: 'clients' },
  ),
  'rules.startPreview': organisation(
    ({ id }) => ({ body: { change: { kind: 'exception', clientOrganizationID: id, ruleID: builtIn, yaml: filter } } }),
    { only: 'clients' },
  ),
  'rules.getPreview': object(async (context) => ({ params: { id: await aPreview(context) } })),
  'rules.cancelPreview': object(async (context) => ({ params: { id: await aPreview(context) } })),
  'rules.endException': object(async (context) => ({ params: { id: await anException(context) } }), { only: 'clients' }),
  'rules.addTest': organisation(async (context) => ({
    body: {
      clientOrganizationID: context.id,
      ruleID: (await aVersion(context)).key,
      name: 'Probe',
      isMatch: true,
      document: '{}',
    },
  })),
  'rules.removeTest': object(async (context) => ({ params: { id: await aTest(context) } })),
  'exceptions.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'pastSearches.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'pastSearches.get': organisation(
    async (context) => ({ params: { client: context.id, pastSearch: await aPastSearch(context) } }),
    {
      takesAll: true,
    },
  ),
  'analystTime.get': { names: 'self', input: () => ({}) },
  'analystTime.save': { names: 'self', input: () => ({ body: { minutesPerAlert: 5, minutesPerCase: 20 } }) },
  'caseGrouping.get': ofProvider(() => ({ params: { client: 0 } })),
  'caseGrouping.saveDraft': ofProvider(async ({ world }) => ({
    body: {
      clientOrganizationID: providerId,
      afterVersion: await newestGrouping(world.t),
      parameters: [],
      common: [{ kind: 'device', value: 'scanner', reason }],
      note: reason,
    },
  })),
  'caseGrouping.changeState': ofProvider(async (context) => ({
    params: { id: await aGroupingVersion(context) },
    body: { state: 'retired', why: reason },
  })),
  'caseGrouping.startPreview': ofProvider(() => ({
    body: { clientOrganizationID: providerId, parameters: [], common: [{ kind: 'device', value: 'scanner', reason }] },
  })),
  'caseGrouping.getPreview': ofProvider(async (context) => ({ params: { id: await aGroupingPreview(context) } })),
  'caseGrouping.cancelPreview': ofProvider(async (context) => ({ params: { id: await aGroupingPreview(context) } })),
  'rulePacks.list': ofProvider(() => ({})),
  'rulePacks.upload': ofProvider(() => ({ query: { name: 'Probe' } })),
  'rulePacks.fetch': ofProvider(() => ({ body: { name: 'Probe', address: 'https://example.com/probe.git' } })),
  'rulePacks.getImport': ofProvider(async (context) => ({ params: { id: await anImport(context) } })),
  'rulePacks.getItem': ofProvider(async (context) => ({ params: { id: await anItem(context), ruleID: 'probe-item' } })),
  'rulePacks.decide': ofProvider(async (context) => ({
    params: { id: await anItem(context), ruleID: 'probe-item' },
    body: { decision: 'keep' },
  })),
  'rulePacks.accept': ofProvider(async (context) => ({
    params: { id: await anImport(context) },
    body: { state: 'draft', why: reason },
  })),
  'rulePacks.discard': ofProvider(async (context) => ({ params: { id: await anImport(context) } })),
  'rulePacks.changeState': ofProvider(async (context) => ({
    params: { id: await aPack(context) },
    body: { state: 'retired', why: reason },
  })),
  'rulePacks.download': ofProvider(() => ({ params: { pack: 'own' } })),
};
