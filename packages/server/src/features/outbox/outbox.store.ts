import type { MailRow } from '@parapet/contract/outbox.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { removedLink, undeliveredLink } from './outbox.links.ts';

export type Mail = Selectable<Tables['mails']>;

export interface OutboxFilter {
  search?: string | undefined;
  state: readonly MailRow['state'][];
  page: number;
  pageSize: number;
  query?: Query | undefined;
}

/** Attempts before an email fails for good, about a day. */
const maxTries = 12;
/** Delay before the next attempt in minutes: 1, 2, 4, up to four hours. */
const pauseMinutes = sql<number>`least(power(2, tries), 240)`;

/** Inserts an email and returns its id; undefined when the Message-ID exists. */
export async function insertMail(tx: Tx, mail: Insertable<Tables['mails']>): Promise<number | undefined> {
  const row = await tx
    .insertInto('mails')
    .values(mail)
    .onConflict((conflict) => conflict.column('message_id').where('message_id', 'is not', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Claims the next email for longer than the timeout of the mail server (10 minutes); undefined when none is due. */
export async function claimWaiting(tx: Tx): Promise<Mail | undefined> {
  return tx
    .updateTable('mails')
    .set({ tries: sql<number>`tries + 1`, next_try_at: sql<Date>`now() + interval '15 minutes'` })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('state', '=', 'waiting')
        .where('next_try_at', '<=', sql<Date>`now()`)
        .where(sql<boolean>`created_at > coalesce((select paused_since()), '-infinity')`)
        .orderBy('next_try_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Columns of an email without its links, including emails of earlier versions with plain links. */
const withoutLinks = (instead: string) => ({
  text: sql<string>`without_links(text, ${instead})`,
  html: sql<string>`without_links(html, ${instead})`,
  headers: sql<string>`without_links(headers::text, ${instead})::jsonb`,
  sealed_links: null,
});

export async function markSent(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ state: 'sent', sent_at: sql<Date>`now()`, error: '', left_to: null, ...withoutLinks(removedLink) })
    .where('id', '=', id)
    .execute();
}

/** Records a failed attempt. `leftTo`: remaining recipients when the mail server accepted the others. */
export async function markFailed(tx: Tx, id: number, error: string, leftTo?: string[]): Promise<void> {
  await tx
    .updateTable('mails')
    .set({
      state: sql<'waiting' | 'failed'>`case when tries >= ${maxTries} then 'failed' else 'waiting' end`,
      next_try_at: sql<Date>`now() + make_interval(mins => ${pauseMinutes}::integer)`,
      error: error.slice(0, 500),
      ...(leftTo && { left_to: leftTo }),
    })
    .where('id', '=', id)
    .execute();
  await tx.updateTable('mails').set(withoutLinks(undeliveredLink)).where('id', '=', id).where('state', '=', 'failed').execute();
}

/** Fails unsent emails after two days and removes their links: attempts end after one. */
export async function cutAbandoned(tx: Tx): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ state: 'failed', error: 'Not sent within two days', ...withoutLinks(undeliveredLink) })
    .where('state', '=', 'waiting')
    .where('created_at', '<', sql<Date>`now() - interval '2 days'`)
    .where(sql<boolean>`(select not is_paused())`)
    .execute();
}

const mailsOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('mails')
    .innerJoin('organisations', 'organisations.id', 'mails.organisation_id')
    .where(within('mails.organisation_id', scope));

const columns = [
  'mails.id',
  'mails.organisation_id as clientOrganizationID',
  'organisations.name as clientOrganizationName',
  'mails.subject',
  'mails.state',
  'mails.error',
] as const;
const joined = (addresses: RawBuilder<unknown>) => sql<string>`left(array_to_string(${addresses}, ', '), 2000)`;
/** Of several mails with one head, each goes to some of its addresses. */
const recipients = joined(sql`coalesce(mails.envelope_to, mails.to_addresses)`);

export async function listMails(
  tx: Tx,
  scope: Scope,
  filter: OutboxFilter,
  rows?: QueryRows,
): Promise<{ results: MailRow[]; total: number }> {
  let query = mailsOf(tx, scope).where((eb) => eb.and(isAmong('mails', rows)));
  if (filter.state.length > 0) query = query.where('mails.state', 'in', [...filter.state]);
  if (filter.search) {
    const pattern = containing(filter.search);
    query = query.where((eb) => eb.or([eb('mails.subject', 'ilike', pattern), eb(recipients, 'ilike', pattern)]));
  }
  const found = await query
    .select([...columns, 'mails.created_at', 'mails.sent_at', recipients.as('to')])
    .orderBy('mails.id', 'desc')
    .limit(filter.pageSize)
    .offset((filter.page - 1) * filter.pageSize)
    .execute();
  const { total } = await query.select(sql<number>`count(*)::integer`.as('total')).executeTakeFirstOrThrow();
  return { results: found.map(timesAsText), total };
}

export async function findMail(tx: Tx, scope: Scope, id: number) {
  const row = await mailsOf(tx, scope)
    .where('mails.id', '=', id)
    .select([
      ...columns,
      'mails.created_at',
      'mails.sent_at',
      recipients.as('to'),
      joined(sql`mails.cc_addresses`).as('cc'),
      sql<string>`mails.from_name || ' <' || mails.from_address || '>'`.as('from'),
      sql<string>`left(mails.text, 20000)`.as('text'),
      'mails.user_id as linkUserID',
    ])
    .executeTakeFirst();
  return row && timesAsText(row);
}

const timesAsText = <T extends { created_at: Date; sent_at: Date | null }>({ created_at, sent_at, ...row }: T) => ({
  ...row,
  createdAt: created_at.toISOString(),
  sentAt: sent_at?.toISOString() ?? null,
});

/** Domain of an address, for Message-IDs. */
export const domainOf = (address: string): string => address.split('@')[1] ?? 'localhost';
