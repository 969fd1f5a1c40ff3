/** Locks and transactions of responses. */
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { retrying, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import type { CaseAccess } from '../cases/cases.ports.ts';
import type { LockedResponse } from './responses.deps.ts';
import { findResponse, listDue, lockResponse } from './responses.store.ts';

/** Locks a request after its case. Returns undefined outside the scope. */
export async function lockWithCase(tx: Tx, cases: CaseAccess, scope: Scope, id: number): Promise<LockedResponse | undefined> {
  const found = await findResponse(tx, scope, id);
  if (!found) return undefined;
  const record = found.case_id === null ? undefined : await cases.lock(tx, scope, found.case_id);
  const response = await lockResponse(tx, scope, id);
  if (!response) return undefined;
  const undoes = response.undoes_id === null ? undefined : await findResponse(tx, scope, response.undoes_id);
  return { record, response, undoes };
}

/** Runs work in a transaction; repeats it after a lost race, as several cases may request one target at once. */
export const inRetriedTx = <T>(db: Database, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retrying(() => scoped(db, scope, work));

/** Runs work on each due response in a transaction of its own. Throws the errors at the end, so that one does not stop the others. */
export async function eachDue(
  { db, clock, cases }: { db: Database; clock: Clock; cases: CaseAccess },
  due: Parameters<typeof listDue>[2],
  work: (tx: Tx, locked: LockedResponse) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = [];
  const ids = await scoped(db, 'system', (tx) => listDue(tx, new Date(clock.now()), due), { readOnly: true });
  for (const { id } of ids)
    await inRetriedTx(db, 'system', async (tx) => {
      const locked = await lockWithCase(tx, cases, 'system', id);
      if (locked) await work(tx, locked);
    }).catch((error) => errors.push(error));
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Several responses failed.');
}
