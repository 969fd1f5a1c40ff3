/** SQL of consents. Runs in the portal's own scope: the administrator has not signed in to the portal. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { ConsentStep } from '../../core/db/tables.connections.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { resumed } from './connections.store.ts';

/** Time for one step at the vendor. */
const stepMinutes = 15;

export async function insertStart(
  tx: Tx,
  start: {
    state: string;
    browser: string;
    organisationId: number;
    inviteId: number;
    step: ConsentStep;
    nonce?: string;
    verifier?: string;
    tenant?: string;
    person?: string;
  },
): Promise<void> {
  await tx
    .insertInto('consent_starts')
    .values({
      state_hash: hashOfToken(start.state),
      browser_hash: hashOfToken(start.browser),
      organisation_id: start.organisationId,
      invite_id: start.inviteId,
      step: start.step,
      nonce: start.nonce ?? null,
      verifier: start.verifier ?? null,
      tenant: start.tenant ?? null,
      person: start.person ?? null,
      expires_at: sql<Date>`now() + make_interval(mins => ${stepMinutes}::integer)`,
    })
    .execute();
}

/** Consumes a step for the browser that began it; another browser's attempt leaves it in place. */
export const takeStart = (tx: Tx, state: string, browser: string) =>
  tx
    .deleteFrom('consent_starts')
    .where('state_hash', '=', hashOfToken(state))
    .where('browser_hash', '=', hashOfToken(browser))
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['organisation_id as organisationId', 'invite_id as inviteId', 'step', 'nonce', 'verifier', 'tenant', 'person'])
    .executeTakeFirst();
export type Start = NonNullable<Awaited<ReturnType<typeof takeStart>>>;

export async function removeExpired(tx: Tx): Promise<void> {
  await tx.deleteFrom('consent_starts').where('expires_at', '<=', sql<Date>`now()`).execute();
}

/** Serialises consents of one tenant until the transaction ends. */
export const lockTenant = (tx: Tx, tenant: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`consent ${tenant}`}, 0))`.execute(tx);

/** True when another active organisation has a consent of the tenant. The values of a form prove no tenant, and block none. */
export async function isTaken(tx: Tx, organisationId: number, tenant: string): Promise<boolean> {
  const row = await tx
    .selectFrom('connections as n')
    .innerJoin('organisations as o', 'o.id', 'n.organisation_id')
    .leftJoin('organisations as p', 'p.id', 'o.parent_id')
    .select('n.id')
    .where('n.account', '=', tenant)
    .where('n.consented_by', 'is not', null)
    .where('n.organisation_id', '<>', organisationId)
    .where('o.deactivated_at', 'is', null)
    .where('p.deactivated_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes the consents of the tenant at other organisations: those of deactivated ones, which a reactivation would resume. */
export const removeElsewhere = (tx: Tx, organisationId: number, tenant: string) =>
  tx
    .deleteFrom('connections')
    .where('account', '=', tenant)
    .where('consented_by', 'is not', null)
    .where('organisation_id', '<>', organisationId)
    .returning(['id', 'organisation_id as organisationId', 'kind', 'name', 'account'])
    .execute();

/** The connection that an earlier consent of the tenant made. */
export const findConsented = (
  tx: Tx,
  { organisationId, kind, tenant }: { organisationId: number; kind: string; tenant: string },
) =>
  tx
    .selectFrom('connections')
    .select(['id', 'name'])
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', kind)
    .where('account', '=', tenant)
    .where('consented_by', 'is not', null)
    .orderBy('id')
    .executeTakeFirst();

/** Renews a consent and resumes. Returns false for a connection that was removed. */
export async function renewConsent(
  tx: Tx,
  {
    id,
    organisationId,
    settings,
    secrets,
    consentedBy,
  }: { id: number; organisationId: number; settings: Record<string, string>; secrets: Buffer; consentedBy: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set({
      settings: JSON.stringify(settings),
      secrets,
      consented_by: consentedBy,
      consented_at: sql<Date>`now()`,
      ...resumed,
    })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('consented_by', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
