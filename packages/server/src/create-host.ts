/**
 * Creates the first Host of an installation without demo, with organisation 1 where that is missing, and prints the one-time link that sets the
 * password: `npm run -s create-host -- --email you@example.com [--name "First Last"] [--organisation "Name"]`. Asks for what is missing at a
 * terminal. Also while the portal runs, whose address the link has.
 */
import { stderr, stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import { runCommand } from './command.ts';
import { findAddress } from './core/addressNote.ts';
import { scoped, type Tx } from './core/db/scope.ts';
import { askForMissing, type HostInput, inputOf } from './create-host.input.ts';
import { insertLink } from './features/auth/links.store.ts';

async function readInput(): Promise<HostInput> {
  const { values } = parseArgs({
    options: { email: { type: 'string' }, name: { type: 'string' }, organisation: { type: 'string' } },
  });
  if (!stdin.isTTY || !stderr.isTTY) return inputOf(values);
  // The link alone goes to stdout.
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    return await askForMissing(
      values,
      (question) => terminal.question(question),
      (line) => stderr.write(`${line}\n`),
    );
  } finally {
    terminal.close();
  }
}

async function refuseSecondHost(tx: Tx): Promise<void> {
  const host = await tx
    .selectFrom('users')
    .select('email')
    .where('role', '=', 'Host')
    .where('organisation_id', '=', providerId)
    .where('is_deleted', '=', false)
    .executeTakeFirst();
  if (host)
    throw new Error(
      `There is a Host already: ${host.email}. Ask them to invite you, or use "Forgot Password" on the sign-in page.`,
    );
}

await runCommand('create-host', async (db, config) => {
  // Before the questions; once more under the lock.
  await scoped(db, 'system', refuseSecondHost);
  const { email, name, organisation } = await readInput();
  const [firstName = '', ...rest] = name.split(/\s+/);

  const token = await scoped(db, 'system', async (tx) => {
    // One at a time: of two that start together, the second finds the first one's Host.
    await sql`select pg_advisory_xact_lock(hashtextextended('first host', 0))`.execute(tx);
    await refuseSecondHost(tx);
    const taken = await tx.selectFrom('users').select('id').where(sql`lower(email)`, '=', email.toLowerCase()).executeTakeFirst();
    if (taken) throw new Error(`${email} belongs to an account already. Name another address.`);
    await tx
      .insertInto('organisations')
      .values({ id: providerId, name: organisation, is_partner: true, parent_id: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const user = await tx
      .insertInto('users')
      .values({ organisation_id: providerId, email, first_name: firstName, last_name: rest.join(' '), role: 'Host' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('audit')
      .values({
        organisation_id: providerId,
        action: 'user.created',
        target: String(user.id),
        after: JSON.stringify({ email, role: 'Host' }),
      })
      .execute();
    return insertLink(tx, { userId: user.id, organisationId: providerId, kind: 'invitation' });
  });
  const address = config.hasPublicUrl ? config.publicUrl : ((await findAddress(config.dataDir)) ?? config.publicUrl);
  return `${address}/passwordReset/${token}`;
});
