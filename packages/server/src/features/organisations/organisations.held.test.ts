import { organisationsApi } from '@parapet/contract/organisations.ts';
import { expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { seedCase } from '../../../test/seed.ts';

const t = useTestApp();

test('returns the number and the oldest of what is stored of the client alone', async () => {
  const [client, other] = [await t.organisation(), await t.organisation()];
  const admin = await t.user({ organisationId: client, role: 'Administrator' });
  const call = (id: number) => t.call(organisationsApi.held, { params: { id } }, admin);
  const none = { count: 0, oldest: null };
  expect((await call(client)).json()).toEqual({ events: none, alerts: none, cases: none });
  await seedCase(t.db, { organisationId: client });
  await seedCase(t.db, { organisationId: other });
  expect((await call(client)).json()).toMatchObject({
    cases: { count: 1, oldest: expect.any(String) },
    alerts: { count: expect.any(Number), oldest: expect.any(String) },
    events: none,
  });
  expect((await call(other)).statusCode).toBe(403);
});
