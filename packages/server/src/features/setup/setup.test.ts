import { organisationsApi } from '@parapet/contract/organisations.ts';
import { type SetupStepId, setupApi } from '@parapet/contract/setup.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { correlationFixture } from '../../../test/correlation.fixture.ts';
import { seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createCorrelationService } from '../correlation/correlation.service.ts';

const t = useTestApp();
let partner: number;
let client: number;
let host: TestUser;
let partnerAdmin: TestUser;
let clientAdmin: TestUser;

beforeAll(async () => {
  await t.organisation({ isPartner: true, id: 1 });
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  host = await t.user({ organisationId: 1, role: 'Host' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
});

const read = async (user: TestUser, of: number) => (await t.call(setupApi.get, { params: { client: of } }, user)).json();
const doneOf = async (user: TestUser, of: number): Promise<SetupStepId[]> =>
  (await read(user, of)).steps.filter(({ isDone }: { isDone: boolean }) => isDone).map(({ id }: { id: SetupStepId }) => id);

describe('steps', () => {
  test('fit an installation, a partner and a client', async () => {
    const idsOf = async (user: TestUser, of: number) => (await read(user, of)).steps.map(({ id }: { id: SetupStepId }) => id);
    expect(await idsOf(host, 0)).toEqual(
      'brand address mail partner client source attack colleagues secondFactor backup'.split(' '),
    );
    expect(await idsOf(partnerAdmin, 0)).toEqual(['brand', 'client', 'source', 'attack', 'colleagues', 'secondFactor']);
    expect(await idsOf(partnerAdmin, client)).toEqual(['contact', 'administrator', 'escalation', 'source', 'attack']);
    expect(await idsOf(clientAdmin, client)).toEqual(await idsOf(partnerAdmin, client));
  });

  test('count as done as soon as the data shows it', async () => {
    const fresh = await t.organisation({ parentId: partner });
    expect(await doneOf(partnerAdmin, fresh)).toEqual([]);
    await t.user({ organisationId: fresh, role: 'Administrator' });
    const { general } = (await t.call(organisationsApi.details, { params: { id: fresh } }, partnerAdmin)).json();
    await t.call(
      organisationsApi.updateGeneral,
      { params: { id: fresh }, body: { ...general, phoneNumber: '+49 30 1' } },
      partnerAdmin,
    );
    expect(await doneOf(partnerAdmin, fresh)).toEqual(['contact', 'administrator']);
    expect(await doneOf(partnerAdmin, 0)).toEqual(['client']);
  });

  test('tell a local address, and a source that is waited for', async () => {
    const noteOf = async (user: TestUser, of: number, step: SetupStepId) =>
      (await read(user, of)).steps.find(({ id }: { id: SetupStepId }) => id === step);
    expect(await noteOf(host, 0, 'address')).toMatchObject({ isDone: false, note: expect.stringContaining('http://localhost') });
    expect(await noteOf(host, 0, 'partner')).toMatchObject({ isDone: true });
    const fresh = await t.organisation({ parentId: partner });
    expect(await noteOf(partnerAdmin, fresh, 'source')).toMatchObject({
      note: 'No ingest key, enrolment token or connection exists yet.',
    });
    await t.ingestKey(fresh);
    expect(await noteOf(partnerAdmin, fresh, 'source')).toMatchObject({ isDone: false, note: 'Waiting for the first event…' });
    const cloud = await t.organisation({ parentId: partner });
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('connections')
        .values({
          organisation_id: cloud,
          kind: 'microsoft365',
          name: 'Tenant',
          account: 'a',
          settings: '{}',
          secrets: Buffer.from('sealed'),
        })
        .execute(),
    );
    expect(await noteOf(partnerAdmin, cloud, 'source')).toMatchObject({ isDone: false, note: 'Waiting for the first event…' });
  });

  test('leave out what other partners have', async () => {
    const other = await t.organisation({ isPartner: true });
    const admin = await t.user({ organisationId: other, role: 'Administrator' });
    expect(await doneOf(admin, 0)).toEqual([]);
    expect((await t.call(setupApi.get, { params: { client } }, admin)).statusCode).toBe(403);
    expect((await t.call(setupApi.attack, { params: { client, device: 'setup-test-abcd' } }, admin)).statusCode).toBe(403);
    expect((await t.call(setupApi.get, { params: { client: 1 } }, clientAdmin)).statusCode).toBe(403);
  });
});

describe('a test attack', () => {
  test('leads from arrival to a case, and counts as no device', async () => {
    const device = 'setup-test-k3x9';
    const { raised } = correlationFixture(t);
    const rule = await seedRule(t.db, { title: 'Decoded text', criticality: 4 }, { tactics: ['execution'] });
    const read = async () => (await t.call(setupApi.attack, { params: { client, device } }, clientAdmin)).json();
    expect(await read()).toEqual({ receivedAt: null, alertID: null, caseID: null });
    await raised(client, [{ at: Date.now() - 5_000, rule, device, user: null, document: { host: { name: device } } }]);
    expect(await read()).toMatchObject({ alertID: expect.any(Number), caseID: null });
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('devices')
        .values({
          organisation_id: client,
          name: device,
          device_type: 'server',
          agent_version: null,
          agent_updated_at: null,
          last_event_at: new Date(),
        })
        .execute(),
    );
    await createCorrelationService({ db: t.db, log: silentLog }).run(client);
    expect(await read()).toMatchObject({ caseID: expect.any(Number) });
    expect(await doneOf(clientAdmin, client)).toEqual(['administrator', 'attack']);
  });

  test('names a device of test attacks only', async () => {
    const answer = await t.call(setupApi.attack, { params: { client, device: 'dc-1' } }, clientAdmin);
    expect(answer.statusCode).toBe(400);
  });
});

describe('what the portal cannot observe', () => {
  test('needs a confirmation, which can be undone and is audited', async () => {
    const confirm = (user: TestUser, step: 'backup' | 'hidden', isConfirmed: boolean) =>
      t.call(setupApi.confirm, { params: { client: 0 }, body: { step, isConfirmed } }, user);
    expect((await confirm(partnerAdmin, 'backup', true)).statusCode).toBe(403);
    await confirm(host, 'backup', true);
    expect(await doneOf(host, 0)).toContain('backup');
    await confirm(host, 'backup', false);
    expect(await doneOf(host, 0)).not.toContain('backup');
    await confirm(partnerAdmin, 'hidden', true);
    expect(await read(partnerAdmin, 0)).toMatchObject({ isHidden: true });
    expect(await read(host, 0)).toMatchObject({ isHidden: false });
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').select(['organisation_id', 'target', 'after']).where('action', '=', 'setup.confirmed').execute(),
    );
    expect(rows).toContainEqual({
      organisation_id: partner,
      target: 'hidden',
      after: { step: 'hidden', isConfirmed: true },
    });
  });

  test('allows a trial: a test email goes to the caller only', async () => {
    const { id, isSending } = (await t.call(setupApi.testMail, {}, partnerAdmin)).json();
    expect(isSending).toBe(false);
    const mail = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('mails').select(['to_addresses', 'organisation_id']).where('id', '=', id).executeTakeFirstOrThrow(),
    );
    expect(mail).toEqual({ to_addresses: [partnerAdmin.email], organisation_id: partner });
  });
});
