/**
 * Every persona × call × organisation through the running application, compared with the cells of the reviewed table. A denied call leaves one
 * audit row and nothing else; an allowed one returns no organisation outside the caller’s scope.
 */
import { readFileSync } from 'node:fs';
import { keyScopes } from '@parapet/contract/access.ts';
import { endpoints } from '@parapet/contract/api.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { signInAgainText } from '@parapet/contract/users.ts';
import type { LightMyRequestResponse } from 'fastify';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { hashOfToken, newToken } from '../src/core/secrets.ts';
import {
  accessFixture,
  auditEntriesAfter,
  lastAuditEntry,
  type Person,
  type Place,
  parentsOf,
  people,
  personas,
  places,
  seenBy,
  writesOf,
} from './access.fixture.ts';
import type { Input, Probe, Target } from './access.probes.kinds.ts';
import { probes } from './access.probes.ts';
import { useFixture } from './use.ts';

const columns: Record<Person, string> = {
  host: 'host',
  providerAdmin: 'partnerAdmin',
  superAnalyst: 'superAnalyst',
  partnerAdmin: 'partnerAdmin',
  partnerHost: 'host',
  partnerAnalyst: 'partnerAnalyst',
  partnerSuperAnalyst: 'superAnalyst',
  partnerManager: 'partnerManager',
  clientAdmin: 'clientAdmin',
  manager: 'manager',
  analyst: 'analyst',
  other: 'other',
  emptyRole: 'guest',
};

const table = (() => {
  const [head = '', ...rows] = readFileSync(new URL('./access.txt', import.meta.url), 'utf8')
    .split('\n\n')[0]!
    .split('\n');
  const names = head.split(/ +/);
  return new Map(
    rows.map((line) => {
      const cells = line.split(/ +/);
      return [cells[0], Object.fromEntries(names.map((name, column) => [name, cells[column] ?? '']))];
    }),
  );
})();

type Verdict = 'let in' | 'denied' | 'not found' | 'any';

/** Expected result of one request; undefined when not applicable. */
function expected(person: Person, endpoint: Endpoint, probe: Probe, target: Target): Verdict | undefined {
  const reach = table.get(endpoint.id)?.[columns[person]];
  if (reach === undefined) throw new Error(`${endpoint.id} has no row`);
  if (reach === '-' || (probe.overPartners && people[person].sees !== 'all')) return 'denied';
  if (probe.names === 'self') return 'let in';
  const seen = seenBy(person);
  if (target === 'all') return !probe.takesAll ? undefined : people[person].sees === 'own' ? 'denied' : 'let in';
  if (!seen.includes(places[target])) return probe.names === 'object' ? 'not found' : 'denied';
  if (reach === 'me') return probe.meIsLetIn ? 'let in' : 'denied';
  const isPartner = ['provider', 'partner', 'otherPartner'].includes(target);
  return probe.only !== undefined && (probe.only === 'partners') !== isPartner ? 'any' : 'let in';
}

const verdictOf = ({ statusCode }: LightMyRequestResponse, probe: Probe): Verdict | 'sign in' => {
  if (statusCode === 401) return 'sign in';
  if (statusCode === 403) return 'denied';
  return statusCode === 404 && probe.names === 'object' ? 'not found' : 'let in';
};

/** As in the audit log, which contains no one-time tokens. */
const withoutTokens = (url: string) => url.slice(0, 300).replace(/[\w-]{43,}/g, '(token)');

const world = useFixture(accessFixture, (fixture) => fixture.t.close());

function send(endpoint: Endpoint, { params = {}, query = {}, body }: Input, token: string | undefined) {
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
  return world.t.application.app.inject({
    method: endpoint.method,
    url: endpoint.prefix + path,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(endpoint.upload && { 'content-type': endpoint.upload.types[0] }),
    },
    ...(endpoint.method !== 'GET' && { payload: endpoint.upload ? Buffer.from('no picture') : ((body ?? {}) as object) }),
  });
}

/** All organisation ids in a response, at any depth. */
function* organisationsIn(value: unknown): Generator<number> {
  if (Array.isArray(value)) for (const entry of value) yield* organisationsIn(entry);
  else if (typeof value === 'object' && value !== null)
    for (const [name, entry] of Object.entries(value))
      if (/^(clientOrganizationID|selectedClientOrganizationI[dD])$/.test(name) && typeof entry === 'number') {
        // 0 is the caller’s whole scope, not an organisation.
        if (entry !== 0) yield entry;
      } else yield* organisationsIn(entry);
}

const targets: Target[] = [...(Object.keys(places) as Place[]), 'all'];
// Streams have their own tests; a sign-out would end a session that other requests need.
const probed = endpoints.filter(
  (endpoint) => endpoint.allow !== 'anyone' && endpoint.answers !== 'events' && endpoint.id !== 'auth.logout',
);

/** Last proof of identity of every persona. */
const setProof = (at: RawBuilder<Date>) =>
  scoped(world.t.db, 'system', (tx) => tx.updateTable('sessions').set({ proven_at: at }).execute());

/** A new API key for each person with all scopes, because calls may revoke earlier keys. */
const keysOf = (of: readonly Person[]): Promise<Map<Person, string>> =>
  scoped(world.t.db, 'system', async (tx) => {
    const keys = new Map(of.map((person) => [person, `pak_${newToken()}`]));
    await tx
      .insertInto('api_keys')
      .values(
        [...keys].map(([person, key]) => ({
          user_id: world.users[person].id,
          organisation_id: world.users[person].organisationId,
          name: 'Sweep',
          prefix: key.slice(0, 10),
          hash: hashOfToken(key),
          scopes: [...keyScopes],
          expires_at: sql<Date>`now() + interval '1 day'`,
          // Recorded on first use, and once a minute after.
          last_used_at: sql<Date>`now()`,
        })),
      )
      .execute();
    return keys;
  });

test('covers every call that needs permission', () => {
  expect(probed.filter(({ id }) => !probes[id]).map(({ id }) => id)).toEqual([]);
});

test('sees each written row, except a last-seen time', async () => {
  const before = await writesOf(world);
  const session = await world.newSession('manager');
  const created = await writesOf(world);
  expect(created).not.toBe(before);
  const update = (values: object) =>
    scoped(world.t.db, 'system', (tx) => tx.updateTable('sessions').set(values).where('id', '=', session).execute());
  await update({ last_seen_at: new Date(0) });
  expect(await writesOf(world)).toBe(created);
  await update({ expires_at: new Date(0) });
  expect(await writesOf(world)).not.toBe(created);
});

describe.each(probed.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (id, endpoint) => {
  const probe = probes[id] as Probe;

  /** Requests with their expected results. Their fixtures are created before any comparison. */
  async function questions(wanted: (verdict: Verdict) => boolean) {
    const list: { person: Person; target: Target; verdict: Verdict; input: Input }[] = [];
    for (const person of personas)
      for (const target of probe.names === 'self' ? targets.slice(0, 1) : targets) {
        const verdict = expected(person, endpoint, probe, target);
        if (verdict === undefined || !wanted(verdict)) continue;
        const place = target === 'all' ? people[person].home : target;
        const input = await probe.input({
          id: target === 'all' ? 0 : places[target],
          place,
          things: world.things[place],
          world,
          person,
        });
        list.push({ person, target, verdict, input });
      }
    return list;
  }

  const outcome = (person: Person, target: Target, answer: LightMyRequestResponse) =>
    `${person} ${target} ${verdictOf(answer, probe)}`;

  test('denies the others, leaving one audit row and nothing else', async () => {
    const list = await questions((verdict) => verdict === 'denied' || verdict === 'not found');
    const guest = await probe.input({
      id: places.client,
      place: 'client',
      things: world.things.client,
      world,
      person: 'analyst',
    });
    const before = await writesOf(world);
    const lastEntry = await lastAuditEntry(world);
    const answers = await Promise.all(list.map(({ person, input }) => send(endpoint, input, world.users[person].token)));
    expect(list.map(({ person, target }, i) => outcome(person, target, answers[i]!))).toEqual(
      list.map(({ person, target, verdict }) => `${person} ${target} ${verdict}`),
    );
    const deniedCalls = list.flatMap(({ person, verdict }, i) =>
      verdict === 'denied' ? [`${world.users[person].id} ${id} ${withoutTokens(answers[i]!.raw.req.url ?? '')}`] : [],
    );
    expect((await auditEntriesAfter(world, lastEntry)).sort()).toEqual(deniedCalls.sort());
    for (const token of [undefined, 'no token'])
      expect((await send(endpoint, guest, token)).statusCode, `${id} without a sign-in`).toBe(401);
    expect(await writesOf(world)).toBe(before);
  });

  test('allows permitted personas without foreign data', async () => {
    const list = await questions((wanted) => wanted === 'let in');
    const parents = await parentsOf(world);
    const isSeen = (person: Person, organisation: number) =>
      seenBy(person).includes(organisation) ||
      // Clients created by other requests.
      (people[person].sees !== 'own' && seenBy(person).includes(parents.get(organisation) ?? 0));
    // Reads do not influence one another; writes run in the order of the list.
    const reads =
      endpoint.method === 'GET'
        ? await Promise.all(list.map(({ person, input }) => send(endpoint, input, world.users[person].token)))
        : undefined;
    for (const [i, { person, target, verdict, input }] of list.entries()) {
      const answer = reads?.[i] ?? (await send(endpoint, input, world.users[person].token));
      expect(outcome(person, target, answer), answer.body).toBe(`${person} ${target} ${verdict}`);
      if (answer.statusCode >= 500) throw new Error(`${person} ${target}: ${answer.body}`);
      if (endpoint.answers !== 'json' || id === 'organisations.partner') continue;
      const foreign = [...organisationsIn(answer.json())].filter((organisation) => !isSeen(person, organisation));
      expect([person, target, foreign]).toEqual([person, target, []]);
    }
  });

  if (endpoint.freshness !== 'none')
    test('refuses permitted personas without recent proof of identity and API keys without the right, changing nothing', async () => {
      const fresh = (input: Input): Input =>
        probe.fresh ? { ...input, body: { ...(input.body as object), ...probe.fresh } } : input;
      const list = (await questions((verdict) => verdict === 'let in')).filter(
        ({ person }, i, all) => all.findIndex((each) => each.person === person) === i,
      );
      expect(list.length).toBeGreaterThan(0);
      const keys = await keysOf(list.map(({ person }) => person));
      await setProof(sql<Date>`now() - interval '11 minutes'`);
      try {
        const before = await writesOf(world);
        for (const { person, input } of list) {
          const answer = await send(endpoint, fresh(input), world.users[person].token);
          expect([person, answer.statusCode, answer.json().error]).toEqual([person, 403, signInAgainText]);
          if (endpoint.freshness === 'freshOrKey') continue;
          expect([person, (await send(endpoint, fresh(input), keys.get(person))).statusCode]).toEqual([person, 403]);
        }
        expect(await writesOf(world)).toBe(before);
        if (endpoint.freshness === 'freshOrKey')
          for (const { person, input } of list) {
            const { statusCode, body } = await send(endpoint, input, keys.get(person));
            expect(statusCode, `${person} ${body}`).not.toBe(403);
          }
      } finally {
        await setProof(sql<Date>`now()`);
      }
    });

  if (probe.mine)
    test('allows every role its own account', async () => {
      for (const person of personas) {
        if (!table.get(id)?.[columns[person]] || table.get(id)?.[columns[person]] === '-') continue;
        const user = world.users[person];
        const place = people[person].home;
        const input = probe.mine!({ id: places[place], place, things: world.things[place], world, person, userId: user.id });
        const answer = await send(endpoint, input, user.token);
        expect(`${person} ${verdictOf(answer, probe)}`, answer.body).toBe(`${person} let in`);
      }
    });

  if (probe.names === 'object')
    test('returns the same answer for foreign and missing objects', async () => {
      for (const person of ['partnerAdmin', 'clientAdmin'] as const) {
        if (expected(person, endpoint, probe, 'foreignClient') !== 'not found') continue;
        const things = world.things.foreignClient;
        const missing = {
          ...things,
          userId: 2_147_483_646,
          tagId: 2_147_483_646,
          alertId: 2_147_483_646,
          mailId: 2_147_483_646,
          caseId: 2_147_483_646,
          narrativeId: 2_147_483_646,
          proposalId: 2_147_483_646,
          reviewId: 2_147_483_646,
          responseId: 2_147_483_646,
          suppressionId: 2_147_483_646,
          deviceId: '00000000-0000-4000-8000-000000000000',
        };
        const [foreign, absent] = await Promise.all(
          [things, missing].map(async (given) => {
            const input = await probe.input({
              id: places.foreignClient,
              place: 'foreignClient',
              things: given,
              world,
              person,
              ...(given === missing && { isMissing: true as const }),
            });
            return send(endpoint, input, world.users[person].token);
          }),
        );
        const shape = ({ statusCode, headers, body }: LightMyRequestResponse) => ({
          statusCode,
          headers: Object.keys(headers).sort(),
          body: body.replace(/"requestId":"[^"]*"/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#'),
        });
        expect(shape(foreign!), person).toEqual(shape(absent!));
      }
    });
});
