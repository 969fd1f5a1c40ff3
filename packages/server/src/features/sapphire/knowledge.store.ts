/** SQL of taught knowledge: entries with their review, and the search of approved ones by words and similarity. */
import { providerId } from '@parapet/contract/access.ts';
import type { SapphireKnowledge } from '@parapet/contract/sapphire.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { readerOf, shownName } from '../../domain/visibility.ts';

const columnsFor = (scope: Scope) =>
  [
    'id',
    'organisation_id as clientOrganizationID',
    'text',
    'state',
    shownName(scope, 'created_by', 'created_by_name').as('author'),
    'created_at',
    shownName(scope, 'reviewed_by', 'reviewed_by_name').as('reviewer'),
    'reviewed_at',
  ] as const;

interface StoredKnowledge extends Omit<SapphireKnowledge, 'createdAt' | 'reviewedAt'> {
  created_at: Date;
  reviewed_at: Date | null;
}

const shown = ({ created_at, reviewed_at, ...row }: StoredKnowledge): SapphireKnowledge => ({
  ...row,
  createdAt: created_at.toISOString(),
  reviewedAt: reviewed_at?.toISOString() ?? null,
});

export async function insertKnowledge(
  tx: Tx,
  scope: Scope,
  actor: Actor,
  entry: { organisationId: number; text: string; reviewedAt: Date | null },
): Promise<SapphireKnowledge> {
  const row = await tx
    .insertInto('sapphire_knowledge')
    .values({
      organisation_id: entry.organisationId,
      text: entry.text,
      created_by: actor.userId,
      created_by_name: actor.displayName,
      ...(entry.reviewedAt && {
        state: 'approved',
        reviewed_by: actor.userId,
        reviewed_by_name: actor.displayName,
        reviewed_at: entry.reviewedAt,
      }),
    })
    .returning(columnsFor(scope))
    .executeTakeFirstOrThrow();
  return shown(row);
}

export async function findKnowledge(tx: Tx, scope: Scope, id: number): Promise<SapphireKnowledge | undefined> {
  const row = await tx
    .selectFrom('sapphire_knowledge')
    .select(columnsFor(scope))
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row && shown(row);
}

export async function updateKnowledge(
  tx: Tx,
  scope: Scope,
  actor: Actor,
  id: number,
  { state, text, at }: { state: 'approved' | 'rejected'; text: string; at: Date },
): Promise<SapphireKnowledge> {
  const row = await tx
    .updateTable('sapphire_knowledge')
    .set({ state, text, reviewed_by: actor.userId, reviewed_by_name: actor.displayName, reviewed_at: at })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .returning(columnsFor(scope))
    .executeTakeFirstOrThrow();
  return shown(row);
}

/** Entries waiting for review first, then the newest. */
export async function listKnowledge(
  tx: Tx,
  scope: Scope,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ results: SapphireKnowledge[]; total: number }> {
  const rows = await tx
    .selectFrom('sapphire_knowledge')
    .select([...columnsFor(scope), sql<number>`(count(*) over ())::integer`.as('total')])
    .where(within('organisation_id', scope))
    .orderBy(sql`state = 'pending'`, 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { results: rows.map(({ total: _, ...row }) => shown(row)), total: rows[0]?.total ?? 0 };
}

export interface FoundKnowledge {
  id: number;
  organisationId: number;
  text: string;
  author: string;
  /** Name of the teaching organisation; null for the provider’s when the reader does not deal with it. */
  organisation: string | null;
  at: Date;
  /** Share of the question’s words found in the entry, 0…1. */
  share: number;
  /** Similarity of the question and a part of the entry, 0…1. */
  likeness: number;
}

/**
 * Finds approved entries of the scope’s organisations, best first. Words are compared by their stems; similarity tolerates
 * misspellings. The caller chooses the organisations: its own and its ancestors.
 */
export async function searchKnowledge(tx: Tx, scope: Scope, question: string): Promise<FoundKnowledge[]> {
  const { rows } = await sql<FoundKnowledge>`
    with asked as (
      select tsvector_to_array(to_tsvector('english', ${question})) as words,
        replace(plainto_tsquery('english', ${question})::text, '&', '|')::tsquery as any_word),
    fitting as (
      select k.id, k.organisation_id as "organisationId", k.text, ${shownName(scope, 'k.created_by', 'k.created_by_name')} as author,
        case when k.organisation_id <> ${providerId} or sees_provider_staff(${readerOf(scope).organisationId}::integer) then o.name end as organisation, k.created_at as at,
        (select count(*) from unnest(a.words) w where w = any(tsvector_to_array(k.words)))::float8 / greatest(1, cardinality(a.words)) as share,
        word_similarity(${question}, k.text)::float8 as likeness
      from sapphire_knowledge k join organisations o on o.id = k.organisation_id, asked a
      where ${within('k.organisation_id', scope)} and k.state = 'approved' and (k.words @@ a.any_word or k.text %> ${question})
      limit 500)
    select * from fitting where share >= 0.5 or likeness >= 0.6
    order by share + likeness desc, id desc limit 3`.execute(tx);
  return rows;
}
