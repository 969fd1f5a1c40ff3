/**
 * User names of alerts with the identity that the client's rules make of each (`identity_names`), for readers outside correlation. Rewritten where
 * rules or sightings change; correlation itself decides at each reading. Callers hold the lock of correlation.
 */
import { sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { readIdentities } from './correlation.identities.read.ts';
import { listIdentityRules } from './correlation.identities.store.ts';
import { type IdentityKind, notationOf } from './correlation.identities.ts';

/** Identity rules and names that a batch of alerts added. */
export interface Learnt {
  areRulesNew: boolean;
  /** Accounts with a new domain, SIDs with a new account. */
  accounts: readonly string[];
}

/** Names of a client that are decided at once; a job continues with the rest. */
const maxRefreshed = 20_000;
const chunk = 2_000;
const maxOrganisations = 1_000;

export const isOfUsers = (kind: IdentityKind): boolean => kind !== 'host' && kind !== 'suffix';
const notedAs = (name: string) => notationOf(name, null);

/** Adds the names of new alerts, and decides again what they change. Names that stand for many accounts are left out. */
export async function placeNames(
  tx: Tx,
  organisationId: number,
  reported: readonly (string | null)[],
  { areRulesNew, accounts }: Learnt = { areRulesNew: false, accounts: [] },
): Promise<void> {
  const names = [...new Set(reported)].filter((name): name is string => !!name && notedAs(name) !== undefined);
  const { numInsertedOrUpdatedRows: added = 0n } = await tx
    .insertInto('identity_names')
    .columns(['organisation_id', 'user_name', 'account', 'identity', 'shown_name'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ name: string; account: string }>`unnest(${textColumn(names)},
          ${textColumn(names.map((name) => accountKey(name)))})`.as<'n'>(sql`n (name, account)`),
        )
        .select([sql.lit(organisationId).as('organisation_id'), 'n.name', 'n.account', 'n.name as identity', 'n.name as shown']),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (areRulesNew) await markStale(tx, organisationId);
  else if (accounts.length > 0) await markStale(tx, organisationId, accounts);
  if (added > 0n || areRulesNew || accounts.length > 0) await refreshNames(tx, organisationId);
}

/** Decides all names again, after a change of rules. */
export async function replaceNames(tx: Tx, organisationId: number): Promise<void> {
  await markStale(tx, organisationId);
  await refreshNames(tx, organisationId);
}

const accountKey = (name: string): string => {
  const noted = notedAs(name);
  return noted ? noted.account || noted.value : '';
};

/** Without accounts: all names. A SID follows the account that was seen with it. */
const markStale = (tx: Tx, organisationId: number, accounts?: readonly string[]) =>
  sql`update identity_names set is_stale = true where organisation_id = ${organisationId} and not is_stale
    ${
      accounts
        ? sql`and (account = any (${textColumn(accounts)}) or account in (select party from entity_parties
            where organisation_id = ${organisationId} and kind = 'sids' and value = any (${textColumn(accounts)})))`
        : sql``
    }`.execute(tx);

export async function listStale(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct organisation_id as id from identity_names where is_stale limit ${maxOrganisations}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function refreshNames(tx: Tx, organisationId: number): Promise<void> {
  const rules = await listIdentityRules(tx, organisationId);
  for (let done = 0; done < maxRefreshed; done += chunk) {
    const { rows: stale } = await sql<{ name: string; identity: string }>`
      select user_name as name, identity from identity_names where organisation_id = ${organisationId} and is_stale
      order by user_name limit ${chunk}`.execute(tx);
    if (stale.length === 0) return;
    const values = stale.map(({ name }) => notedAs(name)?.value ?? name);
    const identities = await readIdentities(tx, organisationId, rules, values);
    const found = values.map((value) => identities.canonical({ kind: 'user', value })?.value ?? value);
    await sql`
      update identity_names u set identity = n.identity, account = n.account, is_stale = false
      from unnest(${textColumn(stale.map(({ name }) => name))}, ${textColumn(stale.map(({ name }) => accountKey(name)))}, ${textColumn(found)})
        as n (name, account, identity)
      where u.organisation_id = ${organisationId} and u.user_name = n.name`.execute(tx);
    await chooseShown(tx, organisationId, [...new Set([...found, ...stale.map(({ identity }) => identity)])]);
  }
}

/** The name that people read: an email address, then one with its domain, then a bare one, then a SID. */
const chooseShown = (tx: Tx, organisationId: number, identities: readonly string[]) =>
  sql`
    update identity_names u set shown_name = s.name
    from (
      select identity, (array_agg(user_name order by
        case when user_name ilike 's-1-%' then 3 when user_name like '%@%' then 0 when strpos(user_name, chr(92)) > 0 then 1 else 2 end,
        length(user_name), user_name))[1] as name
      from identity_names where organisation_id = ${organisationId} and identity = any (${textColumn(identities)}) group by 1
    ) s
    where u.organisation_id = ${organisationId} and u.identity = s.identity and u.shown_name <> s.name`.execute(tx);
