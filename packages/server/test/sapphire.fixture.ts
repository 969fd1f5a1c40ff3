/** Fixture of Sapphire tests: a partner with two clients that have alerts and cases, people of each kind, and a chat helper. */
import { randomUUID } from 'node:crypto';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { type SapphireAnswer, sapphireApi } from '@parapet/contract/sapphire.ts';
import { expect } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { type TestUser, testApp } from './app.ts';
import { seedAlerts, seedCase, seedRule } from './seed.ts';

export async function sapphireWorld(environment: Record<string, string> = {}) {
  const t = await testApp(environment);
  const provider = await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  const partner = await t.organisation({ isPartner: true, parentId: provider, name: 'Harbor Managed IT' });
  const client = await t.organisation({ parentId: partner, name: 'Alder Manufacturing' });
  const sibling = await t.organisation({ parentId: partner, name: 'Birch Dental Group' });
  const foreign = await t.organisation({ parentId: provider, name: 'Fir Biotech' });
  const people = {
    admin: await t.user({ organisationId: client, role: 'Administrator' }),
    analyst: await t.user({ organisationId: client, role: 'Analyst' }),
    partnerAdmin: await t.user({ organisationId: partner, role: 'Administrator' }),
    partnerAnalyst: await t.user({ organisationId: partner, role: 'Partner Analyst' }),
    host: await t.user({ organisationId: provider, role: 'Host' }),
    siblingAdmin: await t.user({ organisationId: sibling, role: 'Administrator' }),
  };
  const ssh = await seedRule(
    t.db,
    { title: 'SSH Brute Force', criticality: 4 },
    {
      techniques: ['T1110'],
      tactics: ['credential-access'],
      guidance: {
        confidence: 'low',
        whyItMatters: 'A password may be found.',
        checkFirst: ['Look for a success.', 'Block the address.'],
      },
    },
  );
  const malware = await seedRule(t.db, { title: 'Defender Found Malware', criticality: 5 });
  const now = Date.now();
  const device = (organisationId: number, name: string) =>
    scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('devices')
        .values({
          organisation_id: organisationId,
          name,
          device_type: 'server',
          agent_version: null,
          agent_updated_at: null,
          last_event_at: new Date(now - 60_000),
        })
        .execute(),
    );
  for (const name of ['ALD-DC-01', 'ALD-WS-014']) await device(client, name);
  await device(sibling, 'BIR-SRV-02');
  const alerts = await seedAlerts(t.db, client, [
    ...Array.from({ length: 7 }, (_, index) => ({
      at: now - (index + 1) * 60_000,
      rule: ssh,
      device: 'ALD-DC-01',
      user: 'j.moreau',
    })),
    { at: now - hourMs, rule: malware, device: 'ALD-WS-014', user: 'k.berg', summary: 'Malware in C:\\Temp\\x.exe' },
  ]);
  await seedAlerts(t.db, sibling, [{ at: now - hourMs, rule: malware, device: 'BIR-SRV-02', user: 's.ito' }]);
  const cases = [
    await seedCase(t.db, {
      organisationId: client,
      criticality: 5,
      device: 'ALD-DC-01',
      user: 'j.moreau',
      set: { title: 'Brute force on ALD-DC-01', status: 'investigating' },
    }),
    await seedCase(t.db, {
      organisationId: client,
      criticality: 3,
      device: 'ALD-WS-014',
      set: { verdict: 'Suspicious', confidence: 60 },
    }),
    await seedCase(t.db, { organisationId: client, criticality: 2, set: { status: 'closed', closed_at: new Date() } }),
  ];
  const siblingCase = await seedCase(t.db, { organisationId: sibling, criticality: 4, device: 'BIR-SRV-02' });

  /** Lifts the rate limit, which most tests do not cover. */
  const forgetLimit = () => scoped(t.db, 'system', (tx) => tx.deleteFrom('attempts').where('kind', '=', 'sapphire').execute());
  const ask = async (
    user: Pick<TestUser, 'token'>,
    clientRequest: string,
    more: Partial<InputOf<typeof sapphireApi.chat>['body']> = {},
  ): Promise<SapphireAnswer> => {
    await forgetLimit();
    const answer = await t.call(sapphireApi.chat, { body: { clientRequest, conversationUUID: randomUUID(), ...more } }, user);
    expect([clientRequest, answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([clientRequest, 200, '']);
    return answer.json();
  };
  const readings = (user: TestUser) =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('sapphire_messages').selectAll().where('user_id', '=', user.id).orderBy('id').execute(),
    );
  return {
    t,
    provider,
    partner,
    client,
    sibling,
    foreign,
    people,
    alerts,
    cases,
    siblingCase,
    ask,
    readings,
    forgetLimit,
    ssh,
    malware,
  };
}
