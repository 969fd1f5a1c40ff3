import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAccount, post } from '../test/accounts.ts';
import { type TestApp, testApp } from '../test/app.ts';
import { runCommand } from '../test/command.ts';
import { noteAddress } from './core/addressNote.ts';
import { scoped } from './core/db/scope.ts';

let t: TestApp;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'create-host-'));
  // Of a portal that runs, which is this process.
  await noteAddress(dataDir, 'https://portal.example');
  t = await testApp({ PUBLIC_URL: 'https://portal.example' });
});
afterAll(async () => {
  await t.close();
  await rm(dataDir, { recursive: true });
});

const createHost = (...args: string[]) =>
  runCommand('create-host.ts', args, { DATABASE_URL: t.database.ownerUrl, DATA_DIR: dataDir });

test('creates the first Host and the provider’s organisation beside a running portal, once, and prints one link', async () => {
  await makeAccount(t, await t.organisation(), { email: 'taken@you.example' });
  const taken = await createHost('--email', 'Taken@you.example');
  expect([taken.code, taken.out]).toEqual([1, '']);
  expect(taken.errors).toContain('belongs to an account already');
  expect((await createHost('--email', 'no address')).errors).toContain('Usage:');

  const both = await Promise.all([
    createHost('--email', 'ada@you.example', '--name', 'Ada Byron', '--organisation', 'Your Security'),
    createHost('--email', 'eve@you.example'),
  ]);
  const made = both.filter(({ code }) => code === 0);
  expect(made).toHaveLength(1);
  expect(made[0]?.errors).toBe('');
  const token = /^https:\/\/portal\.example\/passwordReset\/([\w-]{43})\n$/.exec(made[0]?.out ?? '')?.[1] ?? '';
  expect(both.find(({ code }) => code !== 0)?.errors).toContain('There is a Host already');
  // Before anything that is missing or invalid.
  for (const args of [[], ['--email', 'no address']])
    expect((await createHost(...args)).errors).toContain('There is a Host already');

  const hosts = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('users').select(['organisation_id', 'email', 'password_hash']).where('role', '=', 'Host').execute(),
  );
  expect(hosts).toMatchObject([{ organisation_id: 1, password_hash: null }]);
  expect((await post(t, `/user/reset-pass-form/${token}`, {})).json()).toMatchObject({ email: hosts[0]?.email });
});
