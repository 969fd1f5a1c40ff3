import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropDatabase, emptyDatabase, runAs } from '../../../test/database.ts';
import { migrate } from '../../core/db/migrate.ts';
import { silentLog } from '../../core/log.ts';

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));
let database: { name: string; ownerUrl: string };
let folder: string;
beforeAll(async () => {
  database = await emptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'parapet-verdicts-'));
});
afterAll(async () => {
  await dropDatabase(database.name);
  await rm(folder, { recursive: true });
});

const land = async (isWanted: (name: string) => boolean) => {
  for (const name of await readdir(migrations)) if (isWanted(name)) await copyFile(join(migrations, name), join(folder, name));
  return migrate({ ownerUrl: database.ownerUrl, folder, log: silentLog });
};

test('keeps stored verdicts and removes the confidence of Insufficient Information', async () => {
  await land((name) => name < '0029');
  const own = (sql: string) => runAs(database.ownerUrl, sql);
  const insert = (rows: string) =>
    own(`insert into cases (organisation_id, title, criticality, first_alert_at, last_alert_at, verdict, confidence)
      select 1, 'Case', 4, now(), now(), v, c from (values ${rows}) as t (v, c)`);
  await own(`insert into organisations (id, name) overriding system value values (1, 'Provider') on conflict do nothing`);
  await insert(`('Malicious', 95), ('Benign', 70), ('Insufficient Information', 90), (null, null)`);
  await land((name) => name.startsWith('0029'));
  const [stored] = await own('select verdict, confidence from cases order by id');
  expect(stored!.rows).toEqual([
    { verdict: 'Malicious', confidence: 95 },
    { verdict: 'Benign', confidence: 70 },
    { verdict: 'Insufficient Information', confidence: null },
    { verdict: null, confidence: null },
  ]);
  await insert(`('Suspicious', 60), ('Likely Benign', 75)`);
  for (const wrong of [
    `('Guilty', 60)`,
    `('Insufficient Information', 60)`,
    `('Suspicious', null::integer)`,
    `('Benign', 101)`,
    `(null::text, 5)`,
  ])
    await expect(insert(wrong), wrong).rejects.toThrow(/check constraint/);
});
