/** SQL of case emails and their answer links. Links are looked up before authentication: those functions need the system scope. */
import { providerId } from '@parapet/contract/access.ts';
import type { CaseMail, EmailAction } from '@parapet/contract/caseMails.ts';
import { type Selectable, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';

export const findClient = (tx: Tx, scope: Scope, id: number) =>
  tx
    .selectFrom('organisations')
    .select(['id', 'name', 'parent_id as parentId', 'phone_number as phoneNumber', 'email_address as emailAddress'])
    .where(within('id', scope))
    .where('id', '=', id)
    .executeTakeFirst();

export const findCase = (tx: Tx, scope: Scope, id: number): Promise<Pick<CaseRecord, 'id' | 'organisation_id'> | undefined> =>
  tx
    .selectFrom('cases')
    .select(['id', 'organisation_id'])
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .executeTakeFirst();

export const listEscalationAddresses = (tx: Tx, organisationId: number) =>
  tx
    .selectFrom('escalation_addresses')
    .select(['email_type as emailType', 'email_address as emailAddress'])
    .where('organisation_id', '=', organisationId)
    .orderBy('id')
    .limit(50)
    .execute();

/** Addresses of these, in lower case, that belong to users or escalation contacts of the organisation. */
export async function listKnownAddresses(tx: Tx, organisationId: number, addresses: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ address: string }>`
    select lower(email) as address from users where organisation_id = ${organisationId} and not is_deleted and lower(email) = any(${[...addresses]}::text[])
    union select lower(email_address) from escalation_addresses where organisation_id = ${organisationId} and lower(email_address) = any(${[...addresses]}::text[])`.execute(
    tx,
  );
  return new Set(rows.map(({ address }) => address));
}

/** The provider's own address and the user's phone number: what signs a mail. */
export async function findPhoneNumber(tx: Tx, userId: number): Promise<string> {
  const row = await tx.selectFrom('users').select('phone_number').where('id', '=', userId).executeTakeFirst();
  return row?.phone_number ?? '';
}

export async function findProvider(tx: Tx): Promise<{ id: number; emailAddress: string } | undefined> {
  return tx
    .selectFrom('organisations')
    .select(['id', 'email_address as emailAddress'])
    .where('id', '=', providerId)
    .executeTakeFirst();
}

export const findUserOf = (tx: Tx, id: number) =>
  tx
    .selectFrom('users')
    .select(['email', 'organisation_id as organisationId'])
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .executeTakeFirst();

/** The named narrative of the case, or its newest. */
export async function findNarrative(tx: Tx, record: CaseRecord, id?: number) {
  let query = tx
    .selectFrom('case_narratives')
    .selectAll()
    .where('organisation_id', '=', record.organisation_id)
    .where('case_id', '=', record.id);
  if (id !== undefined) query = query.where('id', '=', id);
  return query.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

export const insertNarrative = (
  tx: Tx,
  record: CaseRecord,
  { userId, name, text, at }: { userId: number; name: string; text: string; at: Date },
) =>
  tx
    .insertInto('case_narratives')
    .values({
      organisation_id: record.organisation_id,
      case_id: record.id,
      author_user_id: userId,
      author_name: name,
      text,
      started_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

export async function findCaseOfNarrative(tx: Tx, scope: Scope, id: number): Promise<number | undefined> {
  const row = await tx
    .selectFrom('case_narratives')
    .select('case_id')
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.case_id;
}

export async function putNarrativeMailed(tx: Tx, record: CaseRecord, id: number, at: Date): Promise<void> {
  await tx
    .updateTable('case_narratives')
    .set({ email_sent_at: at })
    .where('organisation_id', '=', record.organisation_id)
    .where('id', '=', id)
    .where('email_sent_at', 'is', null)
    .execute();
}

/** Returns true if the same person sent the same text after `since`: a double click. */
export async function wasJustSent(tx: Tx, mailId: number, since: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('mails as m')
    .innerJoin('mails as n', (join) =>
      join
        .onRef('m.case_id', '=', 'n.case_id')
        .onRef('m.kind', '=', 'n.kind')
        .onRef('m.sent_by', '=', 'n.sent_by')
        .onRef('m.subject', '=', 'n.subject')
        .onRef('m.text', '=', 'n.text')
        .onRef('m.to_addresses', '=', 'n.to_addresses')
        .onRef('m.cc_addresses', '=', 'n.cc_addresses'),
    )
    .select('m.id')
    .where('n.id', '=', mailId)
    .where('m.id', '!=', mailId)
    .where('m.created_at', '>', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const kinds = ['case.escalation', 'case.update', 'case.narrative', 'case.custom', 'case.answer'];
type Stored = Selectable<Tables['mails']>;

const shownMail =
  (readable: (text: string) => string, clientOrganizationID: number) =>
  (mail: Stored): CaseMail => {
    const goesTo = new Set(mail.envelope_to ?? [...mail.to_addresses, ...mail.cc_addresses]);
    const those = (addresses: string[]) =>
      addresses
        .filter((address) => goesTo.has(address))
        .join(', ')
        .slice(0, 2000);
    return {
      id: mail.id,
      clientOrganizationID,
      kind: mail.kind.replace('case.', '') as CaseMail['kind'],
      createdTime: mail.created_at.toISOString(),
      to: those(mail.to_addresses),
      cc: those(mail.cc_addresses),
      subject: mail.subject.slice(0, 2000),
      text: readable(mail.text).slice(0, 20_000),
      sentBy: mail.sent_by_name,
      state: mail.state,
      sentTime: mail.sent_at?.toISOString() ?? null,
      error: mail.error,
    };
  };

/** Newest first. The notice of an answer belongs to its recipient's organisation, so a client does not see the partner's. */
export async function listCaseMails(
  tx: Tx,
  scope: Scope,
  record: Pick<CaseRecord, 'id' | 'organisation_id'>,
  readable: (text: string) => string,
  mailId?: number,
): Promise<CaseMail[]> {
  let query = tx
    .selectFrom('mails')
    .selectAll()
    .select(shownName(scope, 'sent_by', 'sent_by_name').as('shown_sender'))
    .where(within('organisation_id', scope))
    .where('case_id', '=', record.id)
    .where('kind', 'in', kinds);
  if (mailId !== undefined) query = query.where('id', '=', mailId);
  const rows = await query.orderBy('id', 'desc').limit(500).execute();
  const shown = shownMail(readable, record.organisation_id);
  return rows.map((row) => shown({ ...row, sent_by_name: row.shown_sender }));
}

export async function insertLinks(
  tx: Tx,
  links: {
    hash: Buffer;
    organisationId: number;
    caseId: number;
    mailId: number;
    action: EmailAction;
    recipient: string;
    at: Date;
    expiresAt: Date;
  }[],
): Promise<void> {
  await tx
    .insertInto('case_answer_links')
    .values(
      links.map((link) => ({
        token_hash: link.hash,
        organisation_id: link.organisationId,
        case_id: link.caseId,
        mail_id: link.mailId,
        action: link.action,
        recipient: link.recipient,
        created_at: link.at,
        expires_at: link.expiresAt,
      })),
    )
    .execute();
}

export const findLink = (tx: Tx, hash: Buffer) =>
  tx.selectFrom('case_answer_links').selectAll().where('token_hash', '=', hash).executeTakeFirst();

/** Consumes one link of a locked case. Returns false if an answer came before. */
export async function consumeLink(tx: Tx, hash: Buffer, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('case_answer_links')
    .set({ used_at: at })
    .where('token_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Consumes all links of a locked case. */
export async function consumeLinks(tx: Tx, caseId: number, at: Date): Promise<void> {
  await tx
    .updateTable('case_answer_links')
    .set({ used_at: at })
    .where('case_id', '=', caseId)
    .where('used_at', 'is', null)
    .execute();
}

/** Same query and work for known and unknown tokens, so that timing reveals nothing. */
export async function needsPress(tx: Tx, hash: Buffer): Promise<boolean> {
  const { rows } = await sql<{ needs: boolean | null }>`
    select (select o.needs_press_on_answer from case_answer_links l join organisations o on o.id = l.organisation_id
      where l.token_hash = ${hash}) as needs`.execute(tx);
  return rows[0]?.needs ?? false;
}

/** Deletes expired links. */
export async function dropLinks(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('case_answer_links').where('expires_at', '<', before).execute();
}
