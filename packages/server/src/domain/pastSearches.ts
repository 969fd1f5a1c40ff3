/** New knowledge that stored events are searched for, queued in the transaction that stores it (docs/decisions/0092-past-searches.md). */
import { providerId } from '@parapet/contract/access.ts';
import type { PastSearchKind } from '@parapet/contract/pastSearches.ts';
import { sql } from 'kysely';
import { publish } from '../core/bus.ts';
import { integerColumn, textColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';

/** Terms of one search; more are left out, and counted. */
export const maxTerms = 200_000;
const rowsPerStatement = 10_000;
const maxName = 500;

export interface PastTerm {
  kind: 'ip' | 'domain' | 'hash' | 'cve' | 'rule';
  value: string;
  reputation?: string;
  source?: string;
  /** Of a rule. */
  version?: number;
  /** Version of the rule that was live before. */
  replaced?: number | undefined;
}

export interface NewKnowledge {
  kind: PastSearchKind;
  name: string;
  packId?: number;
  terms: readonly PastTerm[];
  at: Date;
}

/**
 * Adds terms to the search that waits, so that one pass over the past serves all that became known before it begins; a pack has a search of its
 * own. Without terms nothing is queued. Needs the provider's scope.
 */
export async function queuePastSearch(tx: Tx, { kind, name, packId, terms, at }: NewKnowledge): Promise<void> {
  if (terms.length === 0) return;
  const { rows: waiting } = await sql<{ id: number; terms: number }>`
    select id, (select count(*)::integer from past_search_terms t where t.search_id = s.id) as terms from past_searches s
    where organisation_id = ${providerId} and kind = ${kind} and state = 'waiting' and pack_id is not distinct from ${packId ?? null}::integer
    order by id limit 1 for update`.execute(tx);
  const [found] = kind === 'rules' ? [] : waiting;
  const id = found?.id ?? (await insert(tx, { kind, name, packId, at }));
  const room = Math.max(0, maxTerms - (found?.terms ?? 0));
  const accepted = terms.slice(0, room);
  for (let from = 0; from < accepted.length; from += rowsPerStatement) {
    const part = accepted.slice(from, from + rowsPerStatement);
    await sql`
      insert into past_search_terms (search_id, organisation_id, kind, value, reputation, source, version, replaced)
      select ${id}, ${providerId}, t.kind, t.value, t.reputation, coalesce(t.source, ''), nullif(t.version, 0), nullif(t.replaced, 0)
      from unnest(${textColumn(part.map((term) => term.kind))}, ${textColumn(part.map(({ value }) => value))},
        ${textColumn(part.map(({ reputation }) => reputation ?? null))}, ${textColumn(part.map(({ source }) => source ?? null))},
        ${integerColumn(part.map(({ version }) => version ?? 0))}, ${integerColumn(part.map(({ replaced }) => replaced ?? 0))})
        as t (kind, value, reputation, source, version, replaced)
      on conflict do nothing`.execute(tx);
  }
  await sql`
    update past_searches set left_out = left_out + ${terms.length - accepted.length},
      terms = (select count(*) from past_search_terms where search_id = ${id}),
      term_kinds = (select coalesce(array_agg(distinct kind), '{}') from past_search_terms where search_id = ${id}),
      name = case when name = ${name} or ${name} = any(string_to_array(name, ', ')) then name else left(name || ', ' || ${name}, ${maxName}) end
    where id = ${id} and organisation_id = ${providerId}`.execute(tx);
  await publish(tx, 'pastSearches.queued', {});
}

async function insert(tx: Tx, { kind, name, packId, at }: Omit<NewKnowledge, 'terms'>): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into past_searches (organisation_id, kind, name, pack_id, requested_at)
    values (${providerId}, ${kind}, ${name.slice(0, maxName)}, ${packId ?? null}, ${at}) returning id`.execute(tx);
  return rows[0]!.id;
}
