import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { packAlertEvents } from '../../domain/alertEvents.pack.ts';
import { readFields } from './correlation.store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
}, 120_000);
afterAll(() => database.close());

const organisationId = 77;
const at = new Date(Date.UTC(2026, 10, 20, 12));
const documents: Record<string, unknown>[] = [
  {
    source: { ip: '203.0.113.7', domain: 'a.example' },
    destination: { ip: ['198.51.100.1', '198.51.100.2'], domain: 'b.example' },
    host: { ip: ['10.0.0.1'] },
    process: {
      entity_id: 'e1',
      name: 'a.exe',
      executable: 'C:\\a.exe',
      hash: { md5: 'aa', sha256: 'bb' },
      parent: { entity_id: 'e0' },
      command_line: 'a.exe -x',
      decoded_command_line: 'whoami',
    },
    file: { hash: { sha1: 'cc' }, path: '/tmp/a' },
    dll: { hash: { md5: 'dd' }, path: 'C:\\d.dll' },
    user: { name: 'ann', domain: 'CORP' },
    powershell: { file: { script_block_text: 'iex', decoded_script_block_text: 'calc' } },
  },
  { source: 'a text', process: ['a list'], user: 'ann', file: null, powershell: { file: 7 } },
  {},
];

const ids = documents.map(() => randomUUID());
const putRows = () =>
  scoped(database.db, 'system', async (tx) => {
    for (const [n, document] of documents.entries())
      await sql`insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document, is_recent)
        values (${organisationId}, ${100 + n}, ${at}, ${ids[n]}, ${at}, '', '{}', ${JSON.stringify(document)}, true)`.execute(tx);
  });

test('reads the same fields of rows, of packed copies, and of copies that are both', async () => {
  const refs = documents.map((_, n) => ({ id: 100 + n, at }));
  await putRows();
  const scope = { organisationIds: [organisationId] };
  const read = () => readScoped(database.db, scope, (tx) => readFields(tx, organisationId, refs));
  const rows = await read();
  expect(rows.size).toBe(3);
  expect(await packAlertEvents(database.db, Date.now() + 7_200_000, 60_000)).toBe(3);
  expect(await read()).toEqual(rows);
  await putRows();
  expect(await read()).toEqual(rows);
});
