/** Reseals values with the newest data keys, for `npm run rotate-keys` and as a job. */
import type { Database } from '../db/connect.ts';
import { scoped } from '../db/scope.ts';
import { type ColumnName, columnsIn } from './columns.ts';
import { hasRetiredKeys, removeRetiredKeys, retireDataKeys } from './keys.store.ts';
import type { Keys } from './keys.ts';
import { rewriteColumn } from './rewrite.ts';
import { dataKeyIdOf, isSealed } from './sealed.ts';

export interface Resealed {
  resealed: number;
  /** Values that no key opens; they stay as they are. */
  unreadable: number;
  /** Ids of the keys that values are sealed with now. */
  used: Set<number>;
}

type OnBatch = (column: ColumnName, done: number) => void;

/** Ends the use of all data keys: the next value of each organisation makes a new one. Answers how many there were. */
export async function retireKeys(db: Database, keys: Keys): Promise<number> {
  const count = await scoped(db, 'system', retireDataKeys);
  keys.forgetCurrent();
  return count;
}

/** Seals what is not sealed with the newest key of its organisation. */
export async function reseal(db: Database, keys: Keys, onBatch: OnBatch = () => {}): Promise<Resealed> {
  const found: Resealed = { resealed: 0, unreadable: 0, used: new Set() };
  for (const column of columnsIn(keys.columns)) {
    await rewriteColumn(
      db,
      column,
      async (tx, place, value) => {
        if (!isSealed(value)) return undefined;
        if (await keys.isCurrent(tx, place.organisationId, value)) {
          found.used.add(dataKeyIdOf(value));
          return undefined;
        }
        const text = await keys.open(tx, place, value).catch(() => undefined);
        if (!text) {
          found.unreadable++;
          found.used.add(dataKeyIdOf(value));
          return undefined;
        }
        const next = await keys.seal(tx, place, text);
        found.resealed++;
        found.used.add(dataKeyIdOf(next));
        return next;
      },
      (done) => onBatch(column[0], done),
    );
  }
  return found;
}

/** Job: finishes a started rotation, then removes unused data keys. */
export async function tendKeys(db: Database, keys: Keys): Promise<void> {
  if (!(await scoped(db, 'system', hasRetiredKeys, { readOnly: true }))) return;
  const { used } = await reseal(db, keys);
  await scoped(db, 'system', (tx) => removeRetiredKeys(tx, [...used]));
}
