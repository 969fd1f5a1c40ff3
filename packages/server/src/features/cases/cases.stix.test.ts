/** STIX bundles of cases, judged by schemas written from the standard. */
import { casesApi } from '@parapet/contract/cases.ts';
import { tlps } from '@parapet/contract/rules/stix.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { stixBundleSchema, stixSchemas } from '../../../test/schemas/stix.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import type { StixObject } from '../../domain/stix.ts';

interface Bundle {
  id: string;
  objects: StixObject[];
}

const hostile = "evil'.example\\' OR [x";
const t = useTestApp();
let client: number;
let admin: TestUser;
let analyst: TestUser;
let id: number;

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const rule = await seedRule(t.db, { criticality: 4 }, { techniques: ['T1110.003'] });
  const at = Date.now() - 3_600_000;
  ({ id } = await seedCase(t.db, {
    organisationId: client,
    at,
    alerts: [{ at, rule, device: 'SRV-01', user: 'ana' }],
    set: { verdict: 'Malicious', confidence: 91, decided_at: new Date() },
    artifacts: [
      { kind: 'sourceIp', value: '203.0.113.9', count: 4 },
      { kind: 'destinationIp', value: '2001:DB8::7' },
      { kind: 'sourceIp', value: '2001:0db8:0:0:0:0:0:0007' },
      { kind: 'destinationIp', value: '::ffff:203.0.113.9' },
      { kind: 'sourceIp', value: 'fe80::1%eth0' },
      { kind: 'sourceIp', value: '198.51.100.77' },
      { kind: 'sourceIp', value: 'not an address' },
      { kind: 'domain', value: hostile },
      { kind: 'hash', value: 'A'.repeat(64) },
      { kind: 'hash', value: 'xyz' },
      { kind: 'file', value: 'C:\\Users\\ana\\run.ps1' },
      { kind: 'process', value: '/usr/bin/nmap' },
      { kind: 'user', value: 'ana' },
      { kind: 'device', value: 'SRV-01' },
    ],
  }));
  await scoped(t.db, 'system', async (tx) => {
    const { id: list } = await tx
      .insertInto('intelligence_lists')
      .values({ name: `Known bad ${client}`, format: 'csv' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const bad = { list_id: list, reputation: 'Malicious' };
    await tx
      .insertInto('indicators')
      .values([
        { ...bad, kind: 'ip', value: '203.0.113.9' },
        { ...bad, kind: 'domain', value: hostile.toLowerCase() },
        { ...bad, kind: 'hash', value: 'a'.repeat(64) },
      ])
      .execute();
  });
});

const fetched = async (user: TestUser, query: object = {}): Promise<Bundle> => {
  const answer = await t.call(casesApi.exportStix, { params: { caseId: id }, query } as never, user);
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.headers['content-type']).toBe('application/stix+json;version=2.1');
  return answer.json();
};
const ofType = ({ objects }: Bundle, type: string) => objects.filter((object) => object.type === type);

test('exports objects that the schemas of the standard accept, each reference resolved', async () => {
  const bundle = await fetched(admin);
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validate(stixBundleSchema, bundle), JSON.stringify(ajv.errors)).toBe(true);
  const validators = new Map(Object.entries(stixSchemas).map(([type, schema]) => [type, ajv.compile(schema)]));
  for (const object of bundle.objects) {
    const validate = validators.get(object.type);
    expect(validate?.(object), `${object.type} ${JSON.stringify(validate?.errors)}`).toBe(true);
  }
  expect(new Set(bundle.objects.map(({ type }) => type))).toEqual(new Set(Object.keys(stixSchemas)));
  const ids = new Set(bundle.objects.map((object) => object.id));
  expect(ids.size).toBe(bundle.objects.length);
  const refs = bundle.objects.flatMap((object) =>
    Object.entries(object).flatMap(([name, value]) => (/_refs?$/.test(name) ? [value].flat() : [])),
  );
  expect(refs.filter((ref) => !ids.has(ref as string))).toEqual([]);
});

test('identifies observables as every producer does, and quotes hostile values in patterns', async () => {
  const bundle = await fetched(admin);
  // UUIDv5 of the namespace of STIX over {"value":"203.0.113.9"}.
  expect(ofType(bundle, 'ipv4-addr').find(({ value }) => value === '203.0.113.9')!.id).toBe(
    'ipv4-addr--39090fdc-366e-571f-ab5b-d05e2918f88f',
  );
  expect(ofType(bundle, 'indicator').map(({ pattern }) => pattern)).toEqual(
    expect.arrayContaining([
      "[ipv4-addr:value = '203.0.113.9']",
      "[domain-name:value = 'evil\\'.example\\\\\\' or [x']",
      `[file:hashes.'SHA-256' = '${'a'.repeat(64)}']`,
    ]),
  );
  expect(ofType(bundle, 'observed-data').find(({ number_observed: times }) => times === 4)).toBeDefined();
  const files = ofType(bundle, 'file').map(({ name }) => name);
  expect(files).toEqual(expect.arrayContaining(['run.ps1', 'nmap']));
  expect(ofType(bundle, 'directory').map(({ path }) => path)).toEqual(expect.arrayContaining(['C:\\Users\\ana', '/usr/bin']));
  expect(JSON.stringify(bundle)).not.toContain('not an address');
  expect(ofType(bundle, 'attack-pattern')).toMatchObject([{ name: 'Password Spraying' }]);
  expect(ofType(bundle, 'report')).toMatchObject([
    { confidence: 91, description: expect.stringMatching(/ Verdict: Malicious, high confidence\.$/) },
  ]);
});

test('writes an address in one spelling, and none with a zone', async () => {
  const bundle = await fetched(admin);
  // UUIDv5 of the namespace of STIX over {"value":"2001:db8::7"}.
  const id = 'ipv6-addr--9ed76cd5-ab3b-55a5-b6ec-b55c3efb0be2';
  expect(ofType(bundle, 'ipv6-addr')).toMatchObject([{ id, value: '2001:db8::7' }]);
  expect(ofType(bundle, 'observed-data').filter(({ object_refs: refs }) => (refs as string[]).includes(id))).toHaveLength(2);
  const v4 = ofType(bundle, 'ipv4-addr').map(({ value }) => value);
  expect(v4.sort()).toEqual(['198.51.100.77', '203.0.113.9']);
  expect(JSON.stringify(bundle)).not.toContain('fe80');
});

test('marks every object by the chosen protocol, amber without a choice', async () => {
  const marks = { clear: 'white', green: 'green', amber: 'amber', red: 'red' };
  for (const tlp of tlps) {
    const bundle = await fetched(admin, { tlp });
    const [marking, ...others] = bundle.objects;
    expect(marking!.definition).toEqual({ tlp: marks[tlp] });
    expect(others.every(({ object_marking_refs: refs }) => JSON.stringify(refs) === JSON.stringify([marking!.id]))).toBe(true);
  }
  expect((await fetched(admin)).objects[0]!.definition).toEqual({ tlp: 'amber' });
  const refused = await t.call(casesApi.exportStix, { params: { caseId: id }, query: { tlp: 'blue' } } as never, admin);
  expect(refused.statusCode).toBe(400);
});

test('keeps the ids of a case, so that a second import updates', async () => {
  const [first, second] = [await fetched(admin), await fetched(analyst)];
  const timeless = ({ objects }: Bundle) => objects.map(({ modified: _, ...object }) => object);
  expect(timeless(second)).toEqual(timeless(first));
  expect(second.id).not.toBe(first.id);
});

test('moves the time of a change with the verdict, the reputation and the name of the client', async () => {
  const judge = (confidence: number, at: Date) =>
    scoped(t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ verdict: 'Malicious', confidence, decided_at: at }).where('id', '=', id).execute(),
    );
  const of = (bundle: Bundle, type: string) => ofType(bundle, type)[0]!;
  const clientOf = (bundle: Bundle) => ofType(bundle, 'identity').find((object) => object.modified !== object.created)!;
  const first = await fetched(admin);
  expect(clientOf(first).identity_class).toBe('organization');

  const decidedAt = new Date(Date.now() + 60_000);
  await judge(64, decidedAt);
  const judged = await fetched(admin);
  expect(of(judged, 'report').confidence).toBe(64);
  // A decision newer than the export’s own clock counts too.
  expect(of(judged, 'report').modified).toBe(decidedAt.toISOString());
  expect(of(judged, 'attack-pattern').modified).toBe(decidedAt.toISOString());
  await judge(64, new Date());

  const before = await fetched(admin);
  await scoped(t.db, 'system', async (tx) => {
    const { id: list } = await tx
      .insertInto('intelligence_lists')
      .values({ name: `New ${client}`, format: 'csv' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const bad = { kind: 'ip', value: '198.51.100.77', reputation: 'Malicious' } as const;
    await tx
      .insertInto('indicators')
      .values({ list_id: list, ...bad })
      .execute();
  });
  const after = await fetched(admin);
  const added = ofType(after, 'indicator').filter(({ id: known }) => !before.objects.some((object) => object.id === known));
  expect(added).toMatchObject([{ name: '198.51.100.77' }]);
  expect(of(after, 'report').object_refs).toContain(added[0]!.id);
  for (const type of ['report', 'incident', 'indicator']) {
    expect(of(after, type).id).toBe(of(before, type).id);
    expect(Date.parse(String(of(after, type).modified)), type).toBeGreaterThan(Date.parse(String(of(before, type).modified)));
  }
  expect(clientOf(after).id).toBe(clientOf(before).id);
  expect(Date.parse(String(clientOf(after).modified))).toBeGreaterThan(Date.parse(String(clientOf(before).modified)));
  expect(after.id).not.toBe(before.id);
});

test('leaves notes, narratives and names of analysts out, for staff too, and is audited', async () => {
  const marker = 'INTERNAL-MARKER';
  const of = { organisation_id: client, case_id: id };
  await scoped(t.db, 'system', async (tx) => {
    const note = { ...of, author_user_id: analyst.id, author_name: marker, text: marker };
    await tx
      .insertInto('case_notes')
      .values([
        { ...note, is_internal: true },
        { ...note, is_internal: false },
      ])
      .execute();
    await tx
      .updateTable('cases')
      .set({ analyst_name: marker, decision_notes: marker, summary: marker })
      .where('id', '=', id)
      .execute();
  });
  const bundle = await fetched(analyst);
  expect(JSON.stringify(bundle)).not.toContain(marker);
  expect(JSON.stringify(bundle)).not.toContain(analyst.email);
  const { rows } = await scoped(t.db, 'system', async (tx) => ({
    rows: await tx
      .selectFrom('audit')
      .select('action')
      .where('target', '=', String(id))
      .where('action', '=', 'case.exported')
      .execute(),
  }));
  expect(rows.length).toBeGreaterThan(0);
});

test('returns 404 for the case of another tenant', async () => {
  const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
  expect((await t.call(casesApi.exportStix, { params: { caseId: id } }, stranger)).statusCode).toBe(404);
});
