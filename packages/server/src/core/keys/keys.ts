/**
 * Sealed values (docs/decisions/0027-secrets-at-rest.md). Each organisation has a data key, and the installation one for shared values. Data keys are stored wrapped by the
 * master key; they are unwrapped at start and held in memory, so that opening a value needs no query.
 */

import { randomBytes } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import type { Database } from '../db/connect.ts';
import { scoped, type Tx } from '../db/scope.ts';
import { decrypt, encrypt } from '../secrets.ts';
import { type ColumnList, idText, type Place } from './columns.ts';
import {
  type DataKeyRow,
  findCurrentKey,
  findDataKey,
  findMasterInUse,
  findSecret,
  insertDataKey,
  insertSecret,
  listDataKeys,
  lockKeys,
  removeSecrets,
  updateWrapped,
} from './keys.store.ts';
import { type MasterKey, masterKeyOf } from './master.ts';
import { dataKeyIdOf, headerLength, headerOf, isSealed } from './sealed.ts';
import { legacyOf, sealShared, upgradeColumns } from './upgrade.ts';

/** Time for which a process may still seal with a data key that another process retired. */
const currentMs = 60_000;
/** The master key of an installation that has none configured: beside the data, of which start warns. */
const storedMasterName = 'master key';

interface DataKey {
  id: number;
  organisationId: number | null;
  key: Buffer;
}
export type Keys = ReturnType<typeof createKeys>;

const aboutWrapped = (organisationId: number | null) => `data key of ${organisationId ?? 'the installation'}`;
const wrap = (master: MasterKey, organisationId: number | null, key: Buffer) =>
  encrypt(master.key, key, aboutWrapped(organisationId));
const unwrap = (master: MasterKey, { id, organisation_id, wrapped }: DataKeyRow): DataKey => ({
  id,
  organisationId: organisation_id,
  key: decrypt(master.key, wrapped, aboutWrapped(organisation_id)),
});
/** Authenticated data of a value: its header, organisation, table, column and row. */
const aboutValue = (header: Buffer, { organisationId, column, id }: Place) =>
  Buffer.concat([header, Buffer.from(`${organisationId ?? 'installation'}\n${column}\n${idText(id)}`)]);
const sharedPlace = (name: string): Place => ({ organisationId: null, column: 'secrets.value', id: name });

function createKeys(db: Database, columns: ColumnList, master: MasterKey, known: readonly DataKey[], isBesideData: boolean) {
  const opened = new Map(known.map((key) => [key.id, key]));
  const current = new Map<number | null, { key: DataKey; until: number }>();

  /** An id is never given twice, so that a key whose transaction is rolled back does no harm here. */
  const remember = (key: DataKey): DataKey => {
    opened.set(key.id, key);
    return key;
  };

  /** Within the caller's transaction, so that a new organisation can have its key at once; the newest only once that cannot be rolled back. */
  const currentKey = async (tx: Tx, organisationId: number | null): Promise<DataKey> => {
    const remembered = current.get(organisationId);
    if (remembered && remembered.until > performance.now()) return remembered.key;
    const row = await findCurrentKey(tx, organisationId);
    if (!row) return makeKey(tx, organisationId);
    const key = opened.get(row.id) ?? unwrapped(row);
    if (!row.isUncommitted) current.set(organisationId, { key, until: performance.now() + currentMs });
    return key;
  };

  const makeKey = async (tx: Tx, organisationId: number | null): Promise<DataKey> => {
    await lockKeys(tx, { isShared: true });
    // A key wrapped by a replaced master key would be lost.
    if ((await findMasterInUse(tx)) !== master.id) throw masterChanged();
    const key = randomBytes(32);
    const row = { organisation_id: organisationId, wrapped: wrap(master, organisationId, key), master: master.id };
    const { id } = await insertDataKey(tx, row);
    return remember({ id, organisationId, key });
  };

  const unwrapped = (row: DataKeyRow): DataKey => {
    if (row.master !== master.id) throw masterChanged();
    return remember(unwrap(master, row));
  };

  const seal = async (tx: Tx, place: Place, value: Buffer | string): Promise<Buffer> => {
    const { id, key } = await currentKey(tx, place.organisationId);
    const header = headerOf(id);
    return Buffer.concat([header, encrypt(key, Buffer.from(value), aboutValue(header, place))]);
  };

  const open = async (tx: Tx, place: Place, sealed: Buffer): Promise<Buffer> => {
    const where = `${place.column} of ${idText(place.id)}`;
    if (!isSealed(sealed)) throw new Error(`The value in ${where} is not sealed.`);
    const known = opened.get(dataKeyIdOf(sealed));
    const row = known ? undefined : await findDataKey(tx, dataKeyIdOf(sealed));
    const key = known ?? (row && unwrapped(row));
    if (!key) throw new Error(`The data key of the value in ${where} does not exist, so the value cannot be read.`);
    if (key.organisationId !== place.organisationId)
      throw new Error(`The value in ${where} was sealed for another organisation.`);
    try {
      return decrypt(key.key, sealed.subarray(headerLength), aboutValue(sealed.subarray(0, headerLength), place));
    } catch {
      throw new Error(`The value in ${where} was changed, or moved there from elsewhere.`);
    }
  };

  return {
    /** True when no master key is configured: it is stored in the database that it protects. */
    isBesideData,

    /** Every sealed column. */
    columns,

    /**
     * Seals a value for its place, with the organisation's data key. The transaction must have the portal's own scope. Asks the database at most once a
     * minute and organisation.
     */
    seal,

    /** Throws where the value was sealed for another organisation, table, column or row, or was changed. */
    open,

    /** True for a value sealed with the newest key of its organisation. */
    isCurrent: async (tx: Tx, organisationId: number | null, sealed: Buffer): Promise<boolean> =>
      (await currentKey(tx, organisationId)).id === dataKeyIdOf(sealed),

    /** Newest keys are looked up again. */
    forgetCurrent: (): void => current.clear(),

    /** 32 random bytes by their name, the same for all processes of the installation; sealed in `secrets`. */
    shared: (name: string): Promise<Buffer> =>
      scoped(db, 'system', async (tx) => {
        const place = sharedPlace(name);
        const stored = await findSecret(tx, name);
        if (stored) return open(tx, place, stored);
        await insertSecret(tx, name, await seal(tx, place, randomBytes(32)));
        return open(tx, place, (await findSecret(tx, name)) as Buffer);
      }),
  };
}

/**
 * Reads and unwraps all data keys. Where they are wrapped by `former`, or by the key that lay in the database, they are wrapped by `master` in one
 * transaction. Values that an earlier version sealed are sealed again. Throws what to do where no master key fits.
 */
export async function openKeys({
  db,
  columns,
  master,
  former,
  onUnreadable,
}: {
  db: Database;
  columns: ColumnList;
  master: MasterKey | undefined;
  former?: MasterKey | undefined;
  /** Called with the number of values of an earlier version that no key opens; they stay unchanged. */
  onUnreadable?: (column: string, count: number) => void;
}): Promise<Keys> {
  const { keys, legacy } = await scoped(db, 'system', async (tx) => {
    await lockKeys(tx);
    const rows = await listDataKeys(tx);
    const stored = await storedMaster(tx, master === undefined && rows.length === 0);
    const used = master ?? stored;
    if (!used) throw wrongMaster(rows[0]?.master ?? '', undefined);
    const known = await adopt(tx, rows, used, [used, former, stored]);
    if (master) await removeSecrets(tx, [storedMasterName]);
    const keys = createKeys(db, columns, used, known, master === undefined);
    const legacy = await legacyOf(tx, columns, [former, master]);
    if (legacy) await sealShared(tx, legacy, (name, value) => keys.seal(tx, sharedPlace(name), value));
    return { keys, legacy };
  });
  if (legacy) await upgradeColumns(db, columns, keys.seal, legacy, onUnreadable);
  return keys;
}

/** The master key that lies in the database, made there where `isFirst`. */
async function storedMaster(tx: Tx, isFirst: boolean): Promise<MasterKey | undefined> {
  if (isFirst) await insertSecret(tx, storedMasterName, randomBytes(32));
  const value = await findSecret(tx, storedMasterName);
  return value && masterKeyOf(value.toString('base64url'));
}

/** All data keys, unwrapped and wrapped by `used`; the installation's own is made where it is missing. */
async function adopt(
  tx: Tx,
  rows: readonly DataKeyRow[],
  used: MasterKey,
  masters: readonly (MasterKey | undefined)[],
): Promise<DataKey[]> {
  const known: DataKey[] = [];
  for (const row of rows) {
    const opener = masters.find((each) => each?.id === row.master);
    if (!opener) throw wrongMaster(row.master, used);
    const key = unwrap(opener, row);
    if (opener.id !== used.id) await updateWrapped(tx, row.id, wrap(used, key.organisationId, key.key), used.id);
    known.push(key);
  }
  if (rows.length === 0) {
    const key = randomBytes(32);
    const { id } = await insertDataKey(tx, { organisation_id: null, wrapped: wrap(used, null, key), master: used.id });
    known.push({ id, organisationId: null, key });
  }
  return known;
}

const wrongMaster = (master: string, given: MasterKey | undefined) =>
  new Error(
    `The keys of this installation are wrapped by the master key ${master}, but ${
      given ? `the configured one is ${given.id}` : 'none is configured'
    }.
Set SECRET_KEY (or SECRET_KEY_FILE, or SECRET_KEY_COMMAND) to the master key that this installation ran with.
To change it, set the new one there and the former one as SECRET_KEY_OLD (or SECRET_KEY_OLD_FILE).
If the former one is lost, the data that it protects is unreadable: docs/operating.md, "Keys", lists the remaining steps.`,
  );

const masterChanged = () =>
  problem.unavailable(
    'The master key of this installation was changed. Restart this process of the portal with the new one.',
    60,
  );
