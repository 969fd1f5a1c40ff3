/** A closed case whose archive goes to its ticket by the whole server: signed, and nothing internal in it. */
import { casesApi } from '@parapet/contract/cases.ts';
import { deliveriesApi as api } from '@parapet/contract/deliveries.ts';
import { startHalo } from '@parapet/world/peers/halo.ts';
import type { PsaPeer } from '@parapet/world/peers/psa.ts';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { verifyArchive } from '../src/features/cases/cases.verify.ts';
import { type TestApp, testApp } from './app.ts';
import { everything } from './deliveries.fixture.ts';
import { seedCase, seedRule } from './seed.ts';

const secret = 'INTERNAL-ONLY-8852';
let psa: PsaPeer;
let t: TestApp;

beforeAll(async () => {
  psa = await startHalo();
  t = await testApp({ PORTAL_ROLES: 'api,worker', CONNECTION_ORIGINS: psa.url });
});
afterAll(async () => {
  await t.close();
  await psa.close();
});

test('attaches the signed archive as the client may read it', async () => {
  const partner = await t.organisation({ isPartner: true });
  const client = await t.organisation({ parentId: partner, name: 'Alder' });
  const user = await t.user({ organisationId: partner, role: 'Administrator' });
  const made = await t.call(
    api.createTarget,
    { params: { client: partner }, body: { kind: 'halo', name: 'Halo', values: psa.values } },
    user,
  );
  const params = { client: partner, target: made.json().target.id as number };
  const statuses = { open: '1', investigating: '2', closed: '9' };
  const setup = { board: '21', type: '', priorities: {}, statuses, back: {}, fields: {}, attachment: 'archive' as const };
  const companies = [{ clientId: client, companyId: '31' }];
  expect((await t.call(api.saveTicketSetup, { params, body: { setup, companies } }, user)).statusCode).toBe(200);
  const rule = { ...everything(params.target), events: ['case.statusChanged' as const] };
  expect((await t.call(api.createRule, { params: { client: partner }, body: rule }, user)).statusCode).toBe(200);

  const at = Date.now() - 3_600_000;
  const alerts = [{ at, rule: await seedRule(t.db, { criticality: 2 }), device: 'SRV-01', user: 'ana' }];
  const { id } = await seedCase(t.db, { organisationId: client, at, alerts });
  await t.call(casesApi.saveNote, { body: { caseID: id, text: secret, isInternal: true } }, user);
  const setStatus = async (caseStatus: 'investigating' | 'closed') => {
    const closing = { resolution: 'falsePositive' as const, reason: 'Known work', answers: {} };
    const body = { incidentID: id, caseStatus, ...(caseStatus === 'closed' && { closing }) };
    const answer = await t.call(casesApi.changeStatus, { body }, user);
    expect(answer.statusCode, answer.body).toBe(200);
  };
  await setStatus('investigating');
  await setStatus('closed');
  await vi.waitFor(() => expect(psa.people.tickets.at(-1)?.files).toHaveLength(1), { timeout: 30_000, interval: 200 });

  const { name, bytes } = psa.people.tickets.at(-1)!.files[0]!;
  expect(name).toMatch(/\.zip$/);
  expect(verifyArchive(bytes)).toMatchObject({ faults: [], contents: 'client' });
  const files = unzipSync(bytes);
  expect(Object.keys(files)).not.toContain('audit.json');
  const text = Object.values(files)
    .map((part) => Buffer.from(part).toString('utf8'))
    .join('\n');
  expect(text).toContain('SRV-01');
  expect(text).not.toContain(secret);
  expect(text).not.toContain(user.email);
  expect(JSON.stringify(psa.received)).not.toContain(secret);
  const entries = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['actor_user_id', 'after'])
      .where('organisation_id', '=', client)
      .where('action', '=', 'case.exported')
      .execute(),
  );
  expect(entries).toEqual([{ actor_user_id: null, after: { contents: 'client' } }]);
});
