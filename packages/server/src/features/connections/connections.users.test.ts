/** Users as directories list them: read beside devices, removed when they leave, and left as they are where the account may not read them. */
import { connectorOf } from '@parapet/connectors/all.ts';
import type { Account, VendorUser } from '@parapet/connectors/connector.ts';
import { RefusedError, RequestError, UnavailableError } from '@parapet/connectors/errors.ts';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { startDemoVendors } from '@parapet/world/vendors/all.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { readInventory } from './connections.inventory.ts';

let t: TestApp;
let vendors: Awaited<ReturnType<typeof startDemoVendors>>;
const clock = movableClock(Date.now());

beforeAll(async () => {
  t = await testApp();
  vendors = await startDemoVendors(0);
});
afterAll(async () => {
  await t.close();
  await vendors.close();
});

const user = (id: string, name: string, hasMailbox = false): VendorUser => ({ id, name, hasMailbox });
const accountOf = (users: Account['users']) => ({ users }) as unknown as Account;
const pagesOf =
  (...pages: VendorUser[][]): Account['users'] =>
  async (page) => {
    const place = Number(page ?? 0);
    return { users: pages[place] ?? [], next: place + 1 < pages.length ? String(place + 1) : undefined };
  };

async function connection() {
  const organisationId = await t.organisation();
  const row = {
    organisation_id: organisationId,
    kind: 'entra',
    name: 'x',
    account: 'x',
    settings: '{}',
    secrets: Buffer.from('x'),
  };
  const { id } = await scoped(t.db, 'system', (tx) =>
    tx.insertInto('connections').values(row).returning('id').executeTakeFirstOrThrow(),
  );
  const read = async (users: Account['users'], failures = 0) => {
    clock.moveTo(clock.now() + 3_700_000);
    await readInventory(
      { db: t.db, clock, log: silentLog },
      accountOf(users),
      {
        id,
        organisationId,
        inventoryAt: null,
        failures,
      },
      'Okta',
    );
  };
  const stored = () =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('connection_users').select(['name', 'has_mailbox']).where('connection_id', '=', id).orderBy('name').execute(),
    );
  return { read, stored };
}

test('keeps what is listed, over several pages, and removes who left', async () => {
  const { read, stored } = await connection();
  await read(pagesOf([user('1', 'Mara@Alder.example', true), user('2', '')], [user('3', 'ines@alder.example')]));
  expect(await stored()).toEqual([
    { name: 'ines@alder.example', has_mailbox: false },
    { name: 'mara@alder.example', has_mailbox: true },
  ]);
  await read(pagesOf([user('1', 'mara@alder.example')]));
  expect(await stored()).toEqual([{ name: 'mara@alder.example', has_mailbox: false }]);
});

test.each([
  [new RefusedError('Insufficient privileges.'), 0],
  [new RequestError('No such list.', 404), 0],
  [new UnavailableError('No list today.'), 1],
])('leaves users as they are and reads on where the list fails: %s', async (error, failures) => {
  const { read, stored } = await connection();
  await read(pagesOf([user('1', 'mara@alder.example')]));
  await read(async () => {
    throw error;
  }, failures);
  expect(await stored()).toHaveLength(1);
});

test('repeats the turn after the first outage of the list, and after a list without an end', async () => {
  const { read, stored } = await connection();
  await read(pagesOf([user('1', 'mara@alder.example')]));
  const endless = async () => ({ users: [], next: 'the same page' });
  await expect(read(endless)).rejects.toThrow(/same page/);
  await read(endless, 1);
  expect(await stored()).toHaveLength(1);
});

test.each([
  ['entra', true],
  ['google', true],
  ['okta', false],
])('reads active users of %s as its description has them', async (kind, hasMailboxes) => {
  const { values } = vendors.vendors.find((vendor) => vendor.kind === kind)!;
  const account = connectorOf(kind)!.open(values, (url, init) => fetch(url, init), systemClock);
  const { users, next } = await account.users!(undefined);
  expect(next).toBeUndefined();
  expect(users.length).toBeGreaterThan(2);
  expect(users.every(({ id, name }) => id !== '' && /@alder\.example$/.test(name))).toBe(true);
  expect(users.some(({ hasMailbox }) => hasMailbox)).toBe(hasMailboxes);
});
