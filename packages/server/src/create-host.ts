/**
 * Makes the first Host of an installation without demo, with organisation 1 where that is missing, and prints the one-time link by which the
 * password is set: `npm run -s create-host -- --email you@example.com [--name "First Last"] [--organisation "Name"]`. Also while the portal runs.
 */
import { parseArgs } from 'node:util';
import { providerId } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import { z } from 'zod';
import { runCommand } from './command.ts';
import { scoped } from './core/db/scope.ts';
import { insertLink } from './features/auth/links.store.ts';

const usage = 'Usage: npm run -s create-host -- --email <address> [--name "First Last"] [--organisation "Name"]';
const text = z.string().trim().min(1).max(200);
const input = z.object({
  email: z.email().max(254),
  name: text.default('First Host'),
  organisation: text.default('Parapet Security'),
});

await runCommand('create-host', async (db, config) => {
  const { values } = parseArgs({
    options: { email: { type: 'string' }, name: { type: 'string' }, organisation: { type: 'string' } },
  });
  const parsed = input.safeParse(values);
  if (!parsed.success)
    throw new Error(
      `${parsed.error.issues.map((issue) => `--${issue.path[0]?.toString()}: ${issue.message}`).join('\n')}\n${usage}`,
    );
  const { email, name, organisation } = parsed.data;
  const [firstName = '', ...rest] = name.split(/\s+/);

  const token = await scoped(db, 'system', async (tx) => {
    // One at a time: of two that start together, the second finds the first one's Host.
    await sql`select pg_advisory_xact_lock(hashtextextended('first host', 0))`.execute(tx);
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
  return `${config.publicUrl}/passwordReset/${token}`;
});
