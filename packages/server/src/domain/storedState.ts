/** Small states of the installation, by name, as JSON beside its secrets. */
import type { Tx } from '../core/db/scope.ts';

/** Undefined until it was first written. */
export async function readStoredState<State>(tx: Tx, name: string): Promise<State | undefined> {
  const row = await tx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  return row && (JSON.parse(row.value.toString()) as State);
}

export async function writeStoredState(tx: Tx, name: string, state: object): Promise<void> {
  const value = Buffer.from(JSON.stringify(state));
  await tx
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
