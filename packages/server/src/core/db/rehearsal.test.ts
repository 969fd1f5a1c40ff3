/** Transactions of a rehearsal: they see each other, and leave nothing. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { connect, type Database } from './connect.ts';
import { rehearse } from './rehearsal.ts';
import { readScoped, scoped } from './scope.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = connect({ url: database.url, applicationName: 'test', poolSize: 2 });
  await scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values([row(10), row(20)])
      .execute(),
  );
});
afterAll(async () => {
  await db.close();
  await database.close();
});

const row = (id: number) => ({ id, name: `Organisation ${id}`, is_partner: false });
const tagsOf = (of: Database, ...ids: number[]) =>
  readScoped(of, { organisationIds: ids }, async (tx) =>
    (await tx.selectFrom('tags').select('name').orderBy('name').execute()).map(({ name }) => name),
  );
const addTag = (of: Database, id: number, name: string) =>
  scoped(of, { organisationIds: [id] }, (tx) => tx.insertInto('tags').values({ organisation_id: id, name }).execute());

test('shows its own rows to its own transactions by their scope, and rolls all back', async () => {
  await rehearse(db, async (rehearsal) => {
    await addTag(rehearsal, 10, 'rehearsed');
    expect(await tagsOf(rehearsal, 10)).toEqual(['rehearsed']);
    expect(await tagsOf(rehearsal, 20)).toEqual([]);
    expect(await tagsOf(db, 10)).toEqual([]);
  });
  expect(await tagsOf(db, 10)).toEqual([]);
});

test('undoes a failed transaction alone', async () => {
  await rehearse(db, async (rehearsal) => {
    await addTag(rehearsal, 10, 'kept');
    const failed = scoped(rehearsal, 'system', async (tx) => {
      await tx.insertInto('tags').values({ organisation_id: 10, name: 'undone' }).execute();
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    await expect(scoped(rehearsal, 'system', (tx) => sql`select 1 / 0`.execute(tx))).rejects.toThrow('division by zero');
    const swallowed = scoped(rehearsal, 'system', (tx) => sql`select 1 / 0`.execute(tx).catch(() => undefined));
    await expect(swallowed).rejects.toThrow('was rolled back');
    expect(await tagsOf(rehearsal, 10)).toEqual(['kept']);
  });
});

test('runs transactions that are asked for at once one after another', async () => {
  await rehearse(db, async (rehearsal) => {
    await Promise.all(['a', 'b', 'c'].map((name) => addTag(rehearsal, 20, name)));
    expect(await tagsOf(rehearsal, 20)).toEqual(['a', 'b', 'c']);
  });
});

test('shows no row outside a transaction of a scope', async () => {
  await rehearse(db, async (rehearsal) => {
    await addTag(rehearsal, 10, 'scoped');
    const { rows } = await rehearsal.pool.query('select name from tags');
    expect(rows).toEqual([]);
    await expect(rehearsal.pool.query('select no_such_column from tags')).rejects.toThrow('no_such_column');
    expect(await tagsOf(rehearsal, 10)).toEqual(['scoped']);
  });
});

test('does not see what others commit after its beginning', async () => {
  await rehearse(db, async (rehearsal) => {
    expect(await tagsOf(rehearsal, 20)).toEqual([]);
    await addTag(db, 20, 'later');
    expect(await tagsOf(rehearsal, 20)).toEqual([]);
  });
  expect(await tagsOf(db, 20)).toEqual(['later']);
});
