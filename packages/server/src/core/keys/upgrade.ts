/**
 * Values that versions before data keys sealed: by one key for each purpose, derived from SECRET_KEY or kept in `secrets`. The migration leaves a mark in
 * a database that may have some; it goes once all of them are sealed again.
 */
import type { Database } from '../db/connect.ts';
import { scoped, type Tx } from '../db/scope.ts';
import { decrypt } from '../secrets.ts';
import { type ColumnList, columnsIn, idText, type Place } from './columns.ts';
import { findSecret, insertSecret, removeSecrets, updateSecret } from './keys.store.ts';
import type { MasterKey } from './master.ts';
import { rewriteColumn } from './rewrite.ts';
import { isSealed } from './sealed.ts';

const mark = 'sealed before data keys';
const sharedNames = ['access tokens', 'picture addresses', 'mail subscriptions'];

export interface Legacy {
  /** Candidate keys of each purpose, stored or derived, most likely first. */
  keysFor: ReadonlyMap<string, readonly Buffer[]>;
}

/** Undefined where there is nothing of an earlier version. */
export async function legacyOf(
  tx: Tx,
  columns: ColumnList,
  masters: readonly (MasterKey | undefined)[],
): Promise<Legacy | undefined> {
  if (!(await findSecret(tx, mark))) return undefined;
  const keysFor = new Map<string, Buffer[]>();
  for (const purpose of [...sharedNames, ...purposesOf(columns)]) {
    const stored = await findSecret(tx, purpose);
    const derived = masters.flatMap((master) => (master ? [master.derived(purpose)] : []));
    keysFor.set(purpose, stored && !isSealed(stored) ? [stored, ...derived] : derived);
  }
  return { keysFor };
}

/** Secrets that sign tokens, picture addresses and unsubscribe links; resealed unchanged. */
export async function sealShared(
  tx: Tx,
  { keysFor }: Legacy,
  seal: (name: string, value: Buffer) => Promise<Buffer>,
): Promise<void> {
  for (const name of sharedNames) {
    const stored = await findSecret(tx, name);
    const [value] = keysFor.get(name) ?? [];
    if (!value || (stored && isSealed(stored))) continue;
    const sealed = await seal(name, value);
    await (stored ? updateSecret(tx, name, sealed) : insertSecret(tx, name, sealed));
  }
}

export async function upgradeColumns(
  db: Database,
  columns: ColumnList,
  seal: (tx: Tx, place: Place, value: Buffer) => Promise<Buffer>,
  { keysFor }: Legacy,
  onUnreadable: (column: string, count: number) => void = () => {},
): Promise<void> {
  let isDone = true;
  for (const column of columnsIn(columns)) {
    const [name, { before }] = column;
    if (!before) continue;
    let unreadable = 0;
    await rewriteColumn(db, column, async (tx, place, value) => {
      if (isSealed(value)) return undefined;
      const text = openedBy(keysFor.get(before.purpose) ?? [], value, before.about(idText(place.id)));
      if (text) return seal(tx, place, text);
      unreadable++;
      return undefined;
    });
    if (unreadable > 0) {
      isDone = false;
      onUnreadable(name, unreadable);
    }
  }
  if (isDone) await scoped(db, 'system', (tx) => removeSecrets(tx, [mark, ...purposesOf(columns)]));
}

const purposesOf = (columns: ColumnList): string[] =>
  columnsIn(columns).flatMap(([, { before }]) => (before ? [before.purpose] : []));

function openedBy(candidates: readonly Buffer[], value: Buffer, about: string): Buffer | undefined {
  for (const key of candidates) {
    try {
      return decrypt(key, value, about);
    } catch {
      // Another one, perhaps.
    }
  }
  return undefined;
}
