/** Sealed values: bound to their place, opened by their master key alone, sealed again from earlier versions, and rotated. */
import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { sealedColumns } from '../../../test/keys.ts';
import { scoped, type Tx } from '../db/scope.ts';
import { encrypt } from '../secrets.ts';
import type { Place } from './columns.ts';
import { openKeys } from './keys.ts';
import { masterKeyOf } from './master.ts';
import { reseal, retireKeys, tendKeys } from './rotate.ts';
import { dataKeyIdOf } from './sealed.ts';

let database: TestDatabase;
const databases: TestDatabase[] = [];
const [one, another] = [
  masterKeyOf('a master key of the tests, the first'),
  masterKeyOf('a master key of the tests, the second'),
];

beforeEach(async () => {
  database = await testDatabase();
  databases.push(database);
  await system((tx) =>
    tx
      .insertInto('organisations')
      .values([7, 8].map((id) => ({ id, name: `Organisation ${id}`, is_partner: true, parent_id: null })))
      .execute(),
  );
});
afterEach(() => databases.pop()?.close());
afterAll(() => Promise.all(databases.map((each) => each.close())));

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(database.db, 'system', work);
const open = (master = one as typeof one | undefined, former?: typeof one) =>
  openKeys({ db: database.db, columns: sealedColumns, master, former });
const place = (more: Partial<Place> = {}): Place => ({ organisationId: 7, column: 'users.mfa_secret', id: 1, ...more });
const provider = (organisationId: number): Place => ({
  organisationId,
  column: 'identity_providers.client_secret',
  id: organisationId,
});
/** Stores a sealed client secret of organisation 7 or 8. */
const store = (keys: Awaited<ReturnType<typeof open>>, organisationId: number, text: string) =>
  system(async (tx) =>
    tx
      .insertInto('identity_providers')
      .values({
        organisation_id: organisationId,
        issuer: 'https://id.example',
        client_id: 'portal',
        client_secret: await keys.seal(tx, provider(organisationId), text),
      })
      .execute(),
  );
const storedSecret = async (organisationId: number) =>
  (
    await system((tx) =>
      tx
        .selectFrom('identity_providers')
        .select('client_secret')
        .where('organisation_id', '=', organisationId)
        .executeTakeFirstOrThrow(),
    )
  ).client_secret as Buffer;
const openStored = async (keys: Awaited<ReturnType<typeof open>>, organisationId: number) => {
  const sealed = await storedSecret(organisationId);
  return (await system((tx) => keys.open(tx, provider(organisationId), sealed))).toString();
};
const dataKeys = () => system((tx) => tx.selectFrom('data_keys').selectAll().orderBy('id').execute());

describe('a sealed value', () => {
  test('opens at its place, in every process, and reveals nothing of its text', async () => {
    const keys = await open();
    const sealed = await system((tx) => keys.seal(tx, place(), 'JBSWY3DPEHPK3PXP'));
    expect(sealed.toString('latin1')).not.toContain('JBSWY3DP');
    const elsewhere = await open();
    for (const each of [keys, elsewhere])
      expect((await system((tx) => each.open(tx, place(), sealed))).toString()).toBe('JBSWY3DPEHPK3PXP');
    expect((await dataKeys()).map(({ organisation_id }) => organisation_id)).toEqual([null, 7]);
  });

  test.each([
    ['row', { id: 2 }, 'changed, or moved'],
    ['column', { column: 'mfa_challenges.new_secret' }, 'changed, or moved'],
    ['organisation', { organisationId: 8 }, 'another organisation'],
    ['owner: the installation', { organisationId: null }, 'another organisation'],
  ] as const)('is refused at another %s', async (_what, more, text) => {
    const keys = await open();
    const sealed = await system((tx) => keys.seal(tx, place(), 'x'));
    await system((tx) => keys.seal(tx, place({ organisationId: 8 }), 'x'));
    await expect(system((tx) => keys.open(tx, place(more), sealed))).rejects.toThrow(text);
  });

  test('throws with any bit changed, and with the id of another key', async () => {
    const keys = await open();
    const sealed = await system((tx) => keys.seal(tx, place(), 'secret'));
    for (let at = 4; at < sealed.length; at++) {
      const tampered = Buffer.from(sealed);
      tampered.writeUInt8((tampered[at] as number) ^ 1, at);
      await expect(system((tx) => keys.open(tx, place(), tampered))).rejects.toThrow(
        /changed, or moved|does not exist|another organisation/,
      );
    }
    await expect(system((tx) => keys.open(tx, place(), randomBytes(60)))).rejects.toThrow('is not sealed');
  });

  test('does not cache a data key that was rolled back', async () => {
    const keys = await open();
    const rolledBack = system(async (tx) => {
      await keys.seal(tx, place(), 'x');
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    const sealed = await system((tx) => keys.seal(tx, place(), 'x'));
    const elsewhere = await open();
    expect((await system((tx) => elsewhere.open(tx, place(), sealed))).toString()).toBe('x');
  });

  test('becomes unreadable once its organisation’s key is erased; others stay readable', async () => {
    const keys = await open();
    const [of7, of8] = await system((tx) =>
      Promise.all([keys.seal(tx, place(), 'x'), keys.seal(tx, place({ organisationId: 8 }), 'y')]),
    );
    await system((tx) => tx.deleteFrom('data_keys').where('organisation_id', '=', 7).execute());
    const after = await open();
    await expect(system((tx) => after.open(tx, place(), of7))).rejects.toThrow('cannot be read');
    expect((await system((tx) => after.open(tx, place({ organisationId: 8 }), of8))).toString()).toBe('y');
  });

  test('opens without a query when its key existed at start', async () => {
    const first = await open();
    const sealed = await system((tx) => first.seal(tx, place(), 'x'));
    const keys = await open();
    const unused = new Proxy({} as Tx, { get: () => expect.unreachable('a query') });
    expect((await keys.open(unused, place(), sealed)).toString()).toBe('x');
  });
});

describe('the master key', () => {
  test('fails the start with instructions when it is another one or missing, and changes nothing', async () => {
    await open();
    const before = await dataKeys();
    await expect(open(another)).rejects.toThrow(
      new RegExp(`wrapped by the master key ${one.id}, but the configured one is ${another.id}[\\s\\S]*SECRET_KEY_OLD`),
    );
    await expect(openKeys({ db: database.db, columns: sealedColumns, master: undefined })).rejects.toThrow(
      /none is configured[\s\S]*Set SECRET_KEY/,
    );
    expect(await dataKeys()).toEqual(before);
  });

  test('defaults to a file beside the data, until one is configured', async () => {
    const stored = await openKeys({ db: database.db, columns: sealedColumns, master: undefined });
    expect(stored.isBesideData).toBe(true);
    await store(stored, 7, 'first secret');
    const secret = await stored.shared('access tokens');
    const names = () => system((tx) => tx.selectFrom('secrets').select('name').orderBy('name').execute());
    expect(await names()).toEqual([{ name: 'access tokens' }, { name: 'master key' }]);

    const keys = await open();
    expect(keys.isBesideData).toBe(false);
    expect(await names()).toEqual([{ name: 'access tokens' }]);
    expect(await openStored(keys, 7)).toBe('first secret');
    expect(await keys.shared('access tokens')).toEqual(secret);
    await expect(openKeys({ db: database.db, columns: sealedColumns, master: undefined })).rejects.toThrow('none is configured');
  });

  test('changes when the former one is given, without resealing; a process that still has it loses no key', async () => {
    const running = await open();
    await store(running, 7, 'first secret');
    const sealed = await storedSecret(7);
    const keys = await open(another, one);
    expect(await storedSecret(7)).toEqual(sealed);
    for (const each of [keys, running, await open(another)]) expect(await openStored(each, 7)).toBe('first secret');
    await expect(open()).rejects.toThrow(`wrapped by the master key ${another.id}`);
    await expect(store(running, 8, 'lost')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Restart'),
    });
    await store(await open(another), 8, 'second secret');
  });

  test('agrees between two processes that start together', async () => {
    const both = await Promise.all([open(), open(), open()]);
    const secrets = await Promise.all(both.map((keys) => keys.shared('access tokens')));
    expect(new Set(secrets.map(String)).size).toBe(1);
    expect(await dataKeys()).toHaveLength(1);
  });
});

describe('data keys', () => {
  test('rotate: reseals every value and deletes retired keys an hour later', async () => {
    const keys = await open();
    await store(keys, 7, 'first secret');
    await store(keys, 8, 'second secret');
    const shared = await keys.shared('access tokens');
    const before = await dataKeys();
    expect(await retireKeys(database.db, keys)).toBe(3);
    expect(await reseal(database.db, keys)).toMatchObject({ resealed: 3, unreadable: 0 });
    const after = await dataKeys();
    expect(after).toHaveLength(6);
    expect(before.map(({ id }) => id)).not.toContain(dataKeyIdOf(await storedSecret(7)));
    await tendKeys(database.db, keys);
    expect(await dataKeys()).toHaveLength(6);
    await system((tx) =>
      sql`update data_keys set retired_at = now() - interval '2 hours' where retired_at is not null`.execute(tx),
    );
    await tendKeys(database.db, keys);
    expect((await dataKeys()).map(({ id }) => id)).toEqual(after.slice(3).map(({ id }) => id));
    for (const each of [keys, await open()]) {
      expect(await openStored(each, 7)).toBe('first secret');
      expect(await each.shared('access tokens')).toEqual(shared);
    }
  });

  test('finish an interrupted rotation on schedule, and keep every key in use', async () => {
    const keys = await open();
    await store(keys, 7, 'first secret');
    await store(keys, 8, 'second secret');
    await retireKeys(database.db, keys);
    // Another process continues for a while with its cached keys; this value is broken for good.
    await system((tx) =>
      tx
        .updateTable('identity_providers')
        .set({ client_secret: sql`set_byte(client_secret, 40, 0)` as never })
        .where('organisation_id', '=', 8)
        .execute(),
    );
    await system((tx) =>
      sql`update data_keys set retired_at = now() - interval '2 hours' where retired_at is not null`.execute(tx),
    );
    await tendKeys(database.db, keys);
    expect(await openStored(await open(), 7)).toBe('first secret');
    const rest = (await dataKeys()).filter(({ retired_at }) => retired_at !== null);
    expect(rest.map(({ organisation_id }) => organisation_id)).toEqual([8]);
  });
});

describe('values of an earlier version', () => {
  const text = 'a secret key of an earlier version, long';
  const derived = (purpose: string) => createHmac('sha256', text).update(purpose).digest();
  const legacy = async (keyOf: (purpose: string) => Buffer, isKept: boolean) => {
    await system(async (tx) => {
      await tx
        .insertInto('secrets')
        .values({ name: 'sealed before data keys', value: Buffer.alloc(0) })
        .execute();
      if (isKept)
        for (const name of ['access tokens', 'picture addresses', 'mail subscriptions', 'second factor', 'identity providers'])
          await tx
            .insertInto('secrets')
            .values({ name, value: keyOf(name) })
            .execute();
      const { id } = await tx
        .insertInto('users')
        .values({ organisation_id: 7, email: 'a@b.example', first_name: 'A', last_name: 'B', role: 'Analyst' })
        .returning('id')
        .executeTakeFirstOrThrow();
      await tx
        .updateTable('users')
        .set({ mfa_secret: encrypt(keyOf('second factor'), Buffer.from('JBSWY3DP'), `second factor of user ${id}`) })
        .where('id', '=', id)
        .execute();
      await tx
        .insertInto('identity_providers')
        .values({
          organisation_id: 7,
          issuer: 'https://id.example',
          client_id: 'portal',
          client_secret: encrypt(keyOf('identity providers'), Buffer.from('first secret'), 'identity-provider 7'),
        })
        .execute();
    });
  };
  const check = async (keys: Awaited<ReturnType<typeof open>>, keyOf: (purpose: string) => Buffer) => {
    expect(await openStored(keys, 7)).toBe('first secret');
    const user = await system((tx) => tx.selectFrom('users').select(['id', 'mfa_secret']).executeTakeFirstOrThrow());
    const opened = await system((tx) => keys.open(tx, place({ id: user.id }), user.mfa_secret as Buffer));
    expect(opened.toString()).toBe('JBSWY3DP');
    expect(await keys.shared('access tokens')).toEqual(keyOf('access tokens'));
    const names = await system((tx) => tx.selectFrom('secrets').select('name').orderBy('name').execute());
    expect(names.map(({ name }) => name).filter((name) => name !== 'master key')).toEqual([
      'access tokens',
      'mail subscriptions',
      'picture addresses',
    ]);
  };

  test('reseals at start, under the SECRET_KEY that they were derived from', async () => {
    await legacy(derived, false);
    await check(await open(masterKeyOf(text)), derived);
  });

  test('reseals without a SECRET_KEY, then and now', async () => {
    const stored = new Map<string, Buffer>();
    const keyOf = (purpose: string) => stored.get(purpose) ?? (stored.set(purpose, randomBytes(32)).get(purpose) as Buffer);
    await legacy(keyOf, true);
    await check(await openKeys({ db: database.db, columns: sealedColumns, master: undefined }), keyOf);
    await check(await open(), keyOf);
  });

  test('keeps and counts those that no key opens, until one does', async () => {
    await legacy(derived, false);
    const unreadable: [string, number][] = [];
    await openKeys({ db: database.db, columns: sealedColumns, master: one, onUnreadable: (...each) => unreadable.push(each) });
    expect(unreadable).toEqual([
      ['users.mfa_secret', 1],
      ['identity_providers.client_secret', 1],
    ]);
    const keys = await open(one, masterKeyOf(text));
    expect(await openStored(keys, 7)).toBe('first secret');
  });
});
