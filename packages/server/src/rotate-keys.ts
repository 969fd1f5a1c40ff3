/**
 * Changes the keys of sealed values while the portal runs: `npm run rotate-keys [-- --master-only]`. Wraps all data keys by the master key that is
 * configured, where SECRET_KEY_OLD (or its file) or the database has the former one; then makes new data keys and seals every value again. Ended half-way,
 * nothing is lost: run it again, or leave the rest to the portal, which goes on by the clock.
 */
import { parseArgs } from 'node:util';
import { providerId } from '@parapet/contract/access.ts';
import { runCommand } from './command.ts';
import type { Database } from './core/db/connect.ts';
import { scoped } from './core/db/scope.ts';
import { openKeys } from './core/keys/keys.ts';
import { readMasterKeys } from './core/keys/master.ts';
import { reseal, retireKeys } from './core/keys/rotate.ts';
import { sealedColumns } from './sealed-columns.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

async function note(db: Database, after: object): Promise<void> {
  await scoped(db, 'system', async (tx) => {
    const provider = await tx.selectFrom('organisations').select('id').where('id', '=', providerId).executeTakeFirst();
    if (provider)
      await tx
        .insertInto('audit')
        .values({ organisation_id: providerId, action: 'keys.rotated', after: JSON.stringify(after) })
        .execute();
  });
}

await runCommand('rotate-keys', async (db, config) => {
  const { values } = parseArgs({ options: { 'master-only': { type: 'boolean', default: false } } });
  const { master, former } = await readMasterKeys(config);
  if (!master)
    throw new Error(
      'No master key is configured. Set SECRET_KEY, SECRET_KEY_FILE or SECRET_KEY_COMMAND to the new one, and where there is a former one, SECRET_KEY_OLD.',
    );
  const keys = await openKeys({
    db,
    columns: sealedColumns,
    master,
    former,
    onUnreadable: (column, count) => print(`${column}: ${count} values of an earlier version cannot be opened`),
  });
  print(`All data keys are wrapped by the master key ${master.id}.`);
  if (values['master-only']) {
    await note(db, { master: master.id });
    return 'Done. Restart every process of the portal with this master key.';
  }
  const retired = await retireKeys(db, keys);
  print(`${retired} data keys are retired; new ones are made as values are sealed.`);
  const { resealed, unreadable } = await reseal(db, keys, (column, done) => print(`${column}: ${done} values checked`));
  await note(db, { master: master.id, retired, resealed, unreadable });
  const fault = unreadable > 0 ? ` ${unreadable} values cannot be opened by any key and stay as they are.` : '';
  return `Done: ${resealed} values are sealed with new data keys.${fault} The portal removes the retired keys an hour from now.`;
});
