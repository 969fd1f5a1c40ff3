/** Rotas through the API: names of every length, the bound of swaps, and audit entries. */
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { onCallApi as api } from '@parapet/contract/onCall.ts';
import { maxOverrides } from '@parapet/contract/rules/onCall.ts';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { insertOverride } from './deliveries.oncall.store.ts';

const t = useTestApp();
let partner: number;
let admin: TestUser;
let long: TestUser;
beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
  long = await t.user({ organisationId: partner, role: 'Analyst' });
  const names = { first_name: 'F'.repeat(200), last_name: 'L'.repeat(200) };
  await scoped(t.db, 'system', (tx) => tx.updateTable('users').set(names).where('id', '=', long.id).execute());
});

const ok = async <E extends Endpoint>(endpoint: E, input: InputOf<E>, user = admin) => {
  const answer = await t.call(endpoint, input, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

test('shows people of the longest names in shifts, swaps and notes, and names them in the audit log', async () => {
  const params = { client: partner };
  const shift = { place: 1, days: [1, 2, 3, 4, 5, 6, 7], from: 0, to: 1440 };
  await ok(api.saveShifts, { params, body: { zone: 'UTC', shifts: [{ ...shift, userId: long.id }] } });
  await ok(api.addOverride, { params, body: { userId: long.id, place: 1, starts: at(1), ends: at(2) } });
  await scoped(t.db, 'system', (tx) =>
    tx.updateTable('users').set({ role: 'Administrator' }).where('id', '=', long.id).execute(),
  );
  await ok(api.addNote, { params, body: { text: 'Quiet' } }, long);
  const rota = await ok(api.get, { params });
  const name = `${'F'.repeat(200)} ${'L'.repeat(200)}`;
  expect([rota.turns[0].userName, rota.overrides[0].userName, rota.notes[0].author]).toEqual([name, name, name]);
  const entry = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select(['before', 'after']).where('action', '=', 'onCall.shiftsSaved').executeTakeFirstOrThrow(),
  );
  expect(entry).toEqual({
    before: { zone: null, shifts: [] },
    after: { zone: 'UTC', shifts: [{ ...shift, user: long.id }] },
  });
});

test('refuses more swaps than count', async () => {
  const owner = await t.organisation({ isPartner: true });
  const other = await t.user({ organisationId: owner, role: 'Administrator' });
  const [starts, ends] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];
  await scoped(t.db, 'system', async (tx) => {
    for (let count = 0; count < maxOverrides; count++)
      await insertOverride(tx, owner, { userId: other.id, place: 1, starts, ends });
  });
  const body = { userId: other.id, place: 1, starts: at(0), ends: at(1) };
  const refused = await t.call(api.addOverride, { params: { client: owner }, body }, other);
  expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining('Remove some')]);
});
