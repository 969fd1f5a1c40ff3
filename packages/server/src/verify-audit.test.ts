import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../test/command.ts';
import { runAs, type TestDatabase, testDatabase } from '../test/database.ts';
import { secretKey, sharedSecret } from '../test/keys.ts';
import { systemClock } from './core/clock.ts';
import { silentLog } from './core/log.ts';
import { checkpointKey, type SignedCheckpoint } from './features/audit/chain.format.ts';
import { createAuditSealer } from './features/audit/chain.sealer.ts';
import { checkpointSecret } from './features/audit/chain.verify.ts';

const file = join(tmpdir(), `audit-${randomBytes(6).toString('hex')}.log`);
let d: TestDatabase;
const logged: { checkpoint: SignedCheckpoint }[] = [];
const entries = 3_000;
beforeAll(async () => {
  d = await testDatabase();
  await runAs(
    d.ownerUrl,
    "insert into organisations (id, name) values (1001, 'Acme'), (1002, 'Globex')",
    `insert into audit (organisation_id, action, target, after) select 1001 + i % 2, 'tag.saved', i::text, jsonb_build_object('name', 'Tag ' || i) from generate_series(1, ${entries}) i`,
  );
  const key = checkpointKey(await sharedSecret(d.db, checkpointSecret, secretKey));
  const log = { ...silentLog, info: (line: { checkpoint: SignedCheckpoint }) => void logged.push(line) } as typeof silentLog;
  await createAuditSealer({ db: d.db, clock: systemClock, key, log }).seal();
  await writeFile(file, ['{"level":30,"msg":"ready"}', ...logged.map((line) => JSON.stringify(line)), 'no JSON'].join('\n'));
});
afterAll(async () => {
  await rm(file, { force: true });
  await d.close();
});

const verifyAudit = (...args: string[]) =>
  runCommand('verify-audit.ts', args, { DATABASE_URL: d.ownerUrl, SECRET_KEY: secretKey });

test('verifies every log, names the first broken link and ends with 1, also by a copy of the portal’s log', {
  timeout: 60_000,
}, async () => {
  const clean = await verifyAudit('--log', file);
  expect([clean.code, clean.errors]).toEqual([0, '']);
  expect(clean.out).toContain('intact  organisation 1002 ("Globex"): entries 1,500, last position 1500');
  expect(clean.out).toMatch(/logs 2, broken 0; 3,000 entries verified in \d+\.\d s, key [0-9a-f]{16}\n$/);

  const { rows } = (
    await runAs(d.ownerUrl, 'select audit_id from audit_chain where organisation_id = 1002 and position = 77')
  )[0] ?? { rows: [] };
  await runAs(
    d.ownerUrl,
    `update audit set after = '{"name": "Another"}' where id = ${rows[0].audit_id}`,
    'delete from audit_chain where organisation_id = 1001',
    'delete from audit_checkpoints where organisation_id = 1001',
    'delete from audit where organisation_id = 1001',
  );
  const broken = await verifyAudit();
  expect([broken.code, broken.out]).toEqual([1, '']);
  expect(broken.errors).toContain(
    `organisation 1002 ("Globex"), position 77, entry ${rows[0].audit_id}: edited: the entry differs from what was sealed`,
  );
  expect(broken.errors).not.toContain('1001');
  // A log that is gone whole is known outside only.
  expect((await verifyAudit('--log', file)).errors).toContain('BROKEN  organisation 1001');
});
