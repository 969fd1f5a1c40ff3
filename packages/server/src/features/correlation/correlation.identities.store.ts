/** SQL of identity rules and of what they are learnt from. */
import { sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import {
  accountsInCommon,
  beginAlike,
  type IdentityRule,
  isPublicMail,
  type NewIdentityRule,
  shortNameOf,
  suffixOf,
} from './correlation.identities.ts';

const maxRules = 5_000;
const maxDomains = 500;

export async function listIdentityRules(tx: Tx, organisationId: number): Promise<IdentityRule[]> {
  const rows = await tx
    .selectFrom('identity_rules')
    .select(['id', 'kind', 'name', 'same_as', 'origin', 'reason', 'is_active'])
    .where('organisation_id', '=', organisationId)
    .orderBy('id')
    .limit(maxRules)
    .execute();
  return rows.map(({ same_as: sameAs, is_active: isActive, ...row }) => ({ ...row, sameAs, isActive }));
}

/** Adds rules; one that exists, active or not, stays as it is. Returns true when some were added. */
export async function insertIdentityRules(tx: Tx, organisationId: number, rules: readonly NewIdentityRule[]): Promise<boolean> {
  if (rules.length === 0) return false;
  const rows = await tx
    .insertInto('identity_rules')
    .values(
      rules.map(({ kind, name, sameAs, origin, reason }) => ({
        organisation_id: organisationId,
        kind,
        name,
        same_as: sameAs,
        origin,
        reason: reason.slice(0, 500),
      })),
    )
    .onConflict((conflict) => conflict.columns(['organisation_id', 'kind', 'name']).doNothing())
    .returning('id')
    .execute();
  return rows.length > 0;
}

/** Rules that every client has from its first alert. */
export const defaultRules: readonly NewIdentityRule[] = [
  {
    kind: 'bare',
    name: '',
    sameAs: '',
    origin: 'default',
    reason: 'A name without a domain is the account of that name where the client has only one.',
  },
  { kind: 'sid', name: '', sameAs: '', origin: 'default', reason: 'A SID is the account that events name with it.' },
];

/** Links domains that begin alike or have accounts in common with another. `added`: domains with a new account. */
export async function learnDomains(
  tx: Tx,
  organisationId: number,
  rules: readonly IdentityRule[],
  added: readonly string[],
): Promise<NewIdentityRule[]> {
  const ruled = new Set(rules.flatMap(({ kind, name }) => (kind === 'domain' ? [name] : [])));
  const open = added.filter((domain) => domain !== '' && !ruled.has(domain) && !isPublicMail(domain));
  if (open.length === 0) return [];
  const { rows } = await sql<{ domain: string; accounts: number }>`
    select party as domain, count(*)::integer as accounts from entity_parties where organisation_id = ${organisationId} and kind = 'account'
    group by 1 order by 2 desc, 1 limit ${maxDomains}`.execute(tx);
  const sizes = new Map(rows.map(({ domain, accounts }) => [domain, accounts]));
  const found: NewIdentityRule[] = [];
  for (const domain of open) {
    // One link for two names, in whatever order they came; a link that was switched off is none to make again.
    const alike = [...sizes.keys()].find(
      (other) => other !== domain && !isLinked([...rules, ...found], other, domain) && beginAlike(other, domain),
    );
    if (alike === undefined) continue;
    found.push({
      kind: 'domain',
      name: domain,
      sameAs: alike,
      origin: 'default',
      reason: `${domain} and ${alike} begin with the same name.`,
    });
  }
  const left = open.filter((domain) => !found.some(({ name, sameAs }) => name === domain || sameAs === domain));
  return [...found, ...(await linkByAccounts(tx, organisationId, left, sizes, rules))];
}

const isLinked = (rules: readonly Pick<NewIdentityRule, 'kind' | 'name' | 'sameAs'>[], name: string, sameAs: string): boolean =>
  rules.some((rule) => rule.kind === 'domain' && rule.name === name && rule.sameAs === sameAs);

async function linkByAccounts(
  tx: Tx,
  organisationId: number,
  domains: readonly string[],
  sizes: ReadonlyMap<string, number>,
  rules: readonly IdentityRule[],
): Promise<NewIdentityRule[]> {
  const wanted = domains.filter((domain) => (sizes.get(domain) ?? 0) >= accountsInCommon);
  if (wanted.length === 0) return [];
  const { rows } = await sql<{ domain: string; other: string; common: number }>`
    select a.party as domain, b.party as other, count(*)::integer as common from entity_parties a
    join entity_parties b on b.organisation_id = a.organisation_id and b.kind = 'account' and b.value = a.value and b.party <> a.party
    where a.organisation_id = ${organisationId} and a.kind = 'account' and a.party = any (${textColumn(wanted)})
    group by 1, 2 having count(*) >= ${accountsInCommon} order by 3 desc, 1, 2`.execute(tx);
  const linked = new Set<string>();
  return rows.flatMap(({ domain, other, common }): NewIdentityRule[] => {
    if (isLinked(rules, other, domain)) return [];
    const smaller = Math.min(sizes.get(domain) ?? 0, sizes.get(other) ?? 0);
    if (linked.has(domain) || linked.has(other) || isPublicMail(other) || common * 2 < smaller) return [];
    linked.add(domain);
    return [
      {
        kind: 'domain',
        name: domain,
        sameAs: other,
        origin: 'learnt',
        reason: `${common} accounts have the same name in ${domain} and ${other}.`,
      },
    ];
  });
}

/** Suffixes of new full host names; a host whose short name another full name has already stays apart. */
export async function learnHosts(
  tx: Tx,
  organisationId: number,
  rules: readonly IdentityRule[],
  added: readonly string[],
): Promise<NewIdentityRule[]> {
  const full = added.filter((name) => suffixOf(name) !== '');
  if (full.length === 0) return [];
  const { rows } = await sql<{ value: string; party: string }>`
    select value, party from entity_parties where organisation_id = ${organisationId} and kind = 'name'
      and value = any (${textColumn([...new Set(full.map(shortNameOf))])}) order by first_at, party limit ${maxRules}`.execute(
    tx,
  );
  const byShort = Map.groupBy(rows, ({ value }) => value);
  const known = new Set(rules.flatMap(({ kind, name }) => (kind === 'suffix' ? [name] : [])));
  return full.flatMap((name): NewIdentityRule[] => {
    const [first] = byShort.get(shortNameOf(name)) ?? [];
    if (first && first.party !== name)
      return [
        {
          kind: 'host',
          name,
          sameAs: name,
          origin: 'learnt',
          reason: `${first.party} has the same short name: ${name} stays apart.`,
        },
      ];
    if (known.has(suffixOf(name))) return [];
    known.add(suffixOf(name));
    return [
      {
        kind: 'suffix',
        name: suffixOf(name),
        sameAs: '',
        origin: 'default',
        reason: `Full names of hosts end with it, such as ${name}.`,
      },
    ];
  });
}
