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
  folder = await mkdtemp(join(tmpdir(), 'parapet-exceptions-'));
});
afterAll(async () => {
  await dropDatabase(database.name);
  await rm(folder, { recursive: true });
});

const land = async (isWanted: (name: string) => boolean) => {
  for (const name of await readdir(migrations)) if (isWanted(name)) await copyFile(join(migrations, name), join(folder, name));
  return migrate({ ownerUrl: database.ownerUrl, folder, log: silentLog });
};

test('moves exceptions of rules with their counts to the suppressions, which stay as they are', async () => {
  await land((name) => name < '0125');
  const own = (sql: string) => runAs(database.ownerUrl, sql);
  await own(`insert into organisations (id, name) overriding system value values (1, 'Provider') on conflict do nothing;
    insert into users (id, organisation_id, role, email, first_name, last_name) overriding system value
      values (9, 1, 'Host', 'host@host.example', 'Ho', 'St');
    insert into suppressions (organisation_id, device_name, reason, owner_user_id, owner_name, ends_at)
      values (1, 'WS-1', 'Scanner', 9, 'Ho St', now() + interval '1 day'), (1, 'WS-2', 'Scanner', 9, 'Ho St', now());
    insert into rule_exceptions (organisation_id, rule_key, yaml, reason, owner_id, owner_name, ends_at) values
      (1, 'a', 'filter a', 'Backup', 9, 'Ho St', now() + interval '1 day'), (1, 'b', 'filter b', 'Deployment', null, 'Gone', now()),
      (1, 'c', 'filter c', 'Updates', 9, 'Ho St', now() + interval '1 day');
    insert into rule_exception_days (organisation_id, exception_id, day, count, last_at)
      values (1, 1, current_date, 11, now()), (1, 2, current_date, 12, now()), (1, 3, current_date, 13, now()), (1, 77, current_date, 1, now())`);
  await land((name) => name.startsWith('0125'));
  const [moved] = await own(`select e.id, kind, rule_key, device_name, yaml, owner_user_id, former_id, d.count
    from exceptions e left join rule_exception_days d on d.exception_id = e.id order by e.id`);
  const common = { kind: 'exception', device_name: null, owner_user_id: 9 };
  expect(moved!.rows).toMatchObject([
    { id: 1, kind: 'suppression', rule_key: null, device_name: 'WS-1', yaml: null, former_id: null },
    { id: 2, kind: 'suppression', rule_key: null, device_name: 'WS-2', yaml: null, former_id: null },
    { id: 3, ...common, rule_key: 'a', yaml: 'filter a', former_id: 1, count: 11 },
    { id: 4, ...common, owner_user_id: null, rule_key: 'b', yaml: 'filter b', former_id: 2, count: 12 },
    { id: 5, ...common, rule_key: 'c', yaml: 'filter c', former_id: 3, count: 13 },
  ]);
  const [days] = await own('select exception_id from rule_exception_days order by 1');
  expect(days!.rows.map((row) => row.exception_id)).toEqual([3, 4, 5]);
  const values = `(organisation_id, kind, rule_key, device_name, reason, owner_name, ends_at)`;
  await expect(own(`insert into exceptions ${values} values (1, 'exception', 'a', null, '', '', now())`)).rejects.toThrow(
    /exceptions_parts/,
  );
  await expect(own(`insert into exceptions ${values} values (1, 'suppression', null, null, '', '', now())`)).rejects.toThrow(
    /exceptions_parts/,
  );
}, 120_000);
