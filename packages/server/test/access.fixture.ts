/** Access test fixture: two partners with clients under the provider, one person of each kind, one object of each type per organisation. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { insertRow } from '../src/core/db/rows.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { hashOfToken } from '../src/core/secrets.ts';
import { createObjects, type Fixtures } from './access.objects.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { runAs } from './database.ts';
import { seedRule } from './seed.ts';

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
  newChatAccount(person: Person): Promise<number>;
  newBrowser(person: Person): Promise<number>;
  newView(person: Person): Promise<number>;
  /** Path that blocks a user of the place’s case, issued to this person. */
  newBlockToken(person: Person, place: Place): Promise<string>;
  /** Bulk job of this person. */
  newJob(person: Person): Promise<number>;
  /** Cancelled export of this person. */
  newExport(person: Person): Promise<number>;
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
    things[place] = await createObjects(t, places[place], rule);
  }
  await watchWrites(t.database.ownerUrl);
  let next = 500;
  const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
  const ownerOf = (person: Person) => ({ user_id: users[person].id, organisation_id: users[person].organisationId });
  return {
    t,
    users,
    things,
    newUser: async (place) => (await t.user({ organisationId: places[place], role: 'Analyst' })).id,
    newTag: (place) => system((tx) => insertRow(tx, 'tags', { organisation_id: places[place], name: `Tag ${++next}` })),
    newSession: (person) => {
      const session = { id: randomUUID(), ...ownerOf(person), expires_at: new Date(Date.now() + 3_600_000) };
      return system((tx) => insertRow(tx, 'sessions', session));
    },
    newApiKey: (person) => {
      const key = { name: 'Key', prefix: 'pak_', hash: randomBytes(32), expires_at: new Date(), scopes: ['read' as const] };
      return system((tx) => insertRow(tx, 'api_keys', { ...key, ...ownerOf(person) }));
    },
    newChatAccount: (person) => {
      const owner = { owner_id: users[person].organisationId };
      const account = {
        ...owner,
        kind: 'slack',
        workspace_id: 'T1',
        account_id: `U${++next}`,
        account_name: 'ada',
        linked_at: new Date(),
      };
      return system((tx) => insertRow(tx, 'chat_accounts', { ...account, ...ownerOf(person) }));
    },
    newBrowser: (person) => {
      const browser = {
        endpoint_hash: randomBytes(32),
        subscription: Buffer.from('sealed'),
        service: 'push.example',
        user_agent: '',
      };
      return system((tx) => insertRow(tx, 'push_subscriptions', { ...browser, ...ownerOf(person) }));
    },
    newView: (person) => {
      const view = { list: 'alerts', name: `Of the world ${++next}`, query: '' } as const;
      return system((tx) => insertRow(tx, 'saved_views', { ...view, columns: [], ...ownerOf(person) }));
    },
    newBlockToken: async (person, place) => {
      const token = randomBytes(32).toString('base64url');
      const row = {
        token_hash: hashOfToken(token),
        organisation_id: places[place],
        case_id: things[place].caseId,
        actor_user_id: users[person].id,
        user_name: 'ada',
        expires_at: new Date(Date.now() + 3_600_000),
      };
      await system((tx) => tx.insertInto('block_tokens').values(row).execute());
      return token;
    },
    newJob: (person) => {
      const job = { kind: 'cases', what: '{}', actor: '{}', state: 'done' };
      return system((tx) => insertRow(tx, 'bulk_jobs', { ...job, ...ownerOf(person) }));
    },
    newExport: (person) => {
      const owner = ownerOf(person);
      const at = new Date();
      const expires = new Date(at.getTime() + 86_400_000);
      const search = {
        client: owner.organisation_id,
        start_at: at,
        end_at: at,
        searched_by: 'happened',
        filters: '{"search":""}',
      } as const;
      const file = { format: 'csv' as const, organisation_ids: [owner.organisation_id], created_at: at, expires_at: expires };
      return system((tx) => insertRow(tx, 'event_exports', { ...owner, ...search, ...file, state: 'done' }));
    },
    newAnswer: (person, conversation) => {
      const message = { conversation, question: 'How many?', answer: 'None.', kind: 'answer' } as const;
      return system((tx) => insertRow(tx, 'sapphire_messages', { ...message, ...ownerOf(person) }));
    },
    letTeach: async (person) => {
      const teacher = ownerOf(person);
      await system((tx) =>
        tx
          .insertInto('sapphire_teachers')
          .values(teacher)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
    },
    newClient: (parent) => t.organisation({ id: ++next, parentId: places[parent], name: `Client ${next}` }),
  };
}

/** Parent of each organisation. */
export async function parentsOf({ t }: World): Promise<Map<number, number>> {
  const rows = await scoped(t.db, 'system', (tx) => tx.selectFrom('organisations').select(['id', 'parent_id']).execute());
  return new Map(rows.map(({ id, parent_id }) => [id, parent_id ?? 0]));
}

/** Counts each written row by its table, except rows of every call and of heartbeats; an update of last-seen times alone is none. */
async function watchWrites(ownerUrl: string): Promise<void> {
  await runAs(
    ownerUrl,
    `create schema watch;
     create table watch.writes (name text not null);
     grant usage on schema watch to public;
     grant select on watch.writes to public;
     create function watch.record() returns trigger language plpgsql security definer as $$
     declare touched constant text[] := array['last_seen_at', 'last_used_at'];
     begin
       if tg_op <> 'UPDATE' or to_jsonb(new) - touched is distinct from to_jsonb(old) - touched then
         insert into watch.writes values (tg_argv[0]);
       end if;
       return null;
     end $$;
     do $$
     declare name text;
     begin
       for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition and relname not in ('audit', 'access_looks', 'access_shifts', 'attempts', 'ingest_counters', 'processes', 'capacity_days')
       loop
         execute format('create trigger watched after insert or update or delete on public.%I for each row execute function watch.record(%L)', name, name);
         execute format('create trigger watched_whole after truncate on public.%I for each statement execute function watch.record(%L)', name, name);
       end loop;
     end $$`,
  );
}

/** Written rows of each table since the fixture, a line each, to prove that a call changed nothing. */
export async function writesOf({ t }: World): Promise<string> {
  return scoped(t.db, 'system', async (tx) => {
    const { rows } = await sql<{ line: string }>`
      select name || ' ' || count(*) as line from watch.writes group by name order by name`.execute(tx);
    return rows.map(({ line }) => line).join('\n');
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
