/** Identities of the users of a batch, by the client's rules and the sightings that these need. */
import type { Tx } from '../../core/db/scope.ts';
import type { About } from './correlation.entities.ts';
import { accountPart, type Identities, type IdentityRule, identitiesOf } from './correlation.identities.ts';
import { type Party, readParties } from './correlation.parties.ts';

/** Identities of the given stored users, by the client's rules. */
export async function readIdentities(
  tx: Tx,
  organisationId: number,
  rules: readonly IdentityRule[],
  users: readonly string[],
): Promise<Identities> {
  const listOf = (parties: ReadonlyMap<string, readonly Party[]>, kind: string) =>
    new Map(
      [...parties].flatMap(([key, list]) =>
        key.startsWith(`${kind} `) ? [[key.slice(kind.length + 1), list.map(({ party }) => party)] as const] : [],
      ),
    );
  const first = await readParties(
    tx,
    organisationId,
    [...new Set(users)].flatMap((value) => [
      { kind: 'account', value: accountPart(value) },
      { kind: 'sid', value },
    ]),
  );
  const domains = listOf(first, 'account');
  const accounts = listOf(first, 'sid');
  const named = [...new Set([...accounts.values()].flat())];
  const spelt = [...domains].flatMap(([account, known]) => [account, ...known.map((domain) => `${account}@${domain}`)]);
  const second = await readParties(tx, organisationId, [
    ...named.map((value) => ({ kind: 'account', value: accountPart(value) })),
    ...[...new Set([...users, ...named, ...spelt])].map((value) => ({ kind: 'sids', value })),
  ]);
  for (const [account, known] of listOf(second, 'account')) domains.set(account, known);
  for (const [value, sids] of listOf(second, 'sids'))
    for (const sid of sids) accounts.set(sid, [...new Set([...(accounts.get(sid) ?? []), value])]);
  return identitiesOf(rules, { domains, accounts });
}

export const usersOf = (reported: readonly { about: About }[]): string[] =>
  reported.flatMap(({ about }) => about.entities.flatMap(({ kind, value }) => (kind === 'user' ? [value] : [])));
