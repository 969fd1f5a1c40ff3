/** SQL of tickets for people. Every function takes the scope first; row-level security enforces it again. */
import type { TicketSetup } from '@parapet/connectors/out/tickets.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

export interface SetupRow {
  setup: TicketSetup;
  polledAt: Date | null;
  error: string | null;
}

export const findSetup = (tx: Tx, scope: Scope, targetId: number): Promise<SetupRow | undefined> =>
  tx
    .selectFrom('ticket_setups')
    .select([sql<TicketSetup>`setup`.as('setup'), 'polled_at as polledAt', 'error'])
    .where(within('organisation_id', scope))
    .where('target_id', '=', targetId)
    .executeTakeFirst();

export interface CompanyRow {
  clientId: number;
  clientName: string;
  companyId: string;
  companyName: string;
}

/** Clients whose events reach a target of `owner`, with their companies. The scope is the reader's whole scope. */
export async function listCompanies(tx: Tx, scope: Scope, owner: number, targetId: number, limit: number): Promise<CompanyRow[]> {
  const { rows } = await sql<CompanyRow>`
    select o.id as "clientId", o.name as "clientName", coalesce(c.company_id, '') as "companyId", coalesce(c.company_name, '') as "companyName"
    from organisations o left join ticket_companies c on c.client_id = o.id and c.target_id = ${targetId} and c.organisation_id = ${owner}
    where ${within('o.id', scope)} and (o.id = ${owner} or o.parent_id = ${owner} or ${owner} = 1) and o.deactivated_at is null
    order by lower(o.name), o.id limit ${limit}`.execute(tx);
  return rows;
}

type Place = { organisationId: number; targetId: number };

export async function saveSetup(tx: Tx, { organisationId, targetId }: Place, setup: TicketSetup, now: Date): Promise<void> {
  // Tickets that changed shortly before are read too: the clocks of both sides differ.
  await sql`
    insert into ticket_setups (target_id, organisation_id, setup, read_until, next_at)
    values (${targetId}, ${organisationId}, ${JSON.stringify(setup)}::jsonb, ${now}::timestamptz - interval '1 hour', ${now})
    on conflict (target_id) do update set setup = excluded.setup, next_at = excluded.next_at, failures = 0`.execute(tx);
}

export async function saveCompanies(
  tx: Tx,
  { organisationId, targetId }: Place,
  companies: readonly { clientId: number; companyId: string; companyName: string }[],
): Promise<void> {
  const rows = JSON.stringify(companies);
  await sql`
    delete from ticket_companies where target_id = ${targetId} and organisation_id = ${organisationId}
      and client_id in (select c."clientId" from jsonb_to_recordset(${rows}::jsonb) as c ("clientId" integer))`.execute(tx);
  await sql`
    insert into ticket_companies (target_id, organisation_id, client_id, company_id, company_name)
    select ${targetId}, ${organisationId}, c."clientId", c."companyId", c."companyName"
    from jsonb_to_recordset(${rows}::jsonb) as c ("clientId" integer, "companyId" text, "companyName" text) where c."companyId" <> ''`.execute(
    tx,
  );
}

export interface TicketListed {
  caseId: number;
  ticketId: string;
  url: string;
  targetName: string;
  kind: string;
  status: string;
  setup: TicketSetup | null;
  syncedAt: Date;
  conflict: string | null;
  deletedAt: Date | null;
}

const tickets = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('case_tickets as k')
    .innerJoin('delivery_targets as t', 't.id', 'k.target_id')
    .leftJoin('ticket_setups as s', 's.target_id', 'k.target_id')
    .where(within('k.organisation_id', scope));

const listed = (tx: Tx, scope: Scope) =>
  tickets(tx, scope).select([
    'k.case_id as caseId',
    'k.ticket_id as ticketId',
    'k.url',
    't.name as targetName',
    't.kind',
    'k.status',
    sql<TicketSetup | null>`s.setup`.as('setup'),
    'k.synced_at as syncedAt',
    'k.conflict',
    'k.deleted_at as deletedAt',
  ]);

export async function listTickets(
  tx: Tx,
  scope: Scope,
  targetId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: TicketListed[]; total: number }> {
  const rows = await listed(tx, scope)
    .where('k.target_id', '=', targetId)
    .orderBy(sql`k.conflict is null`)
    .orderBy(sql`k.deleted_at is null`)
    .orderBy('k.synced_at', 'desc')
    .orderBy('k.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await tickets(tx, scope)
    .where('k.target_id', '=', targetId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Tickets of a case of the scope, at targets of the scope. */
export const listCaseTickets = (tx: Tx, scope: Scope, caseId: number, limit: number): Promise<TicketListed[]> =>
  listed(tx, scope).where('k.case_id', '=', caseId).where(within('k.client_id', scope)).orderBy('k.id').limit(limit).execute();

/** Has tickets read now, whatever failed before, but not before the end of the wait that the PSA requires. Returns that time; undefined without a setup. */
export async function dueNow(tx: Tx, scope: Scope, targetId: number, now: Date): Promise<Date | undefined> {
  const row = await tx
    .updateTable('ticket_setups')
    .set({ next_at: sql<Date>`greatest(${now}::timestamptz, not_before)`, failures: 0 })
    .where(within('organisation_id', scope))
    .where('target_id', '=', targetId)
    .returning('next_at as at')
    .executeTakeFirst();
  return row?.at;
}
