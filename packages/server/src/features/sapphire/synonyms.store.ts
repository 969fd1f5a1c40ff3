/** SQL of synonyms. */
import type { SapphireSynonym } from '@parapet/contract/sapphire.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { shownName } from '../../domain/visibility.ts';
import type { Synonym } from './synonyms.ts';

type Stored = Omit<SapphireSynonym, 'isUsed'>;

const columnsFor = (scope: Scope) =>
  [
    'id',
    'organisation_id as clientOrganizationID',
    'from_text as from',
    'to_text as to',
    shownName(scope, 'created_by', 'created_by_name').as('author'),
    'created_at',
  ] as const;
const shown = ({ created_at, ...row }: Omit<Stored, 'createdAt'> & { created_at: Date }): Stored => ({
  ...row,
  createdAt: created_at.toISOString(),
});

/** Newest first. */
export async function listSynonyms(
  tx: Tx,
  scope: Scope,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ results: Stored[]; total: number }> {
  const rows = await tx
    .selectFrom('sapphire_synonyms')
    .select([...columnsFor(scope), sql<number>`(count(*) over ())::integer`.as('total')])
    .where(within('organisation_id', scope))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { results: rows.map(({ total: _, ...row }) => shown(row)), total: rows[0]?.total ?? 0 };
}

/** Of these organisations, in their order: the first one’s come first. */
export const findSynonyms = (tx: Tx, scope: Scope, organisationIds: readonly number[], limit: number): Promise<Synonym[]> =>
  tx
    .selectFrom('sapphire_synonyms')
    .select(['from_text as from', 'to_text as to'])
    .where(within('organisation_id', scope))
    .where('organisation_id', 'in', organisationIds)
    .orderBy(sql`array_position(${[...organisationIds]}::integer[], organisation_id)`)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Serialises additions of an organisation until the transaction ends. */
export async function countSynonyms(tx: Tx, scope: Scope, organisationId: number): Promise<number> {
  await tx.selectFrom('organisations').select('id').where('id', '=', organisationId).forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom('sapphire_synonyms')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Undefined where the organisation has one for the phrase. */
export async function insertSynonym(
  tx: Tx,
  scope: Scope,
  actor: Actor,
  organisationId: number,
  { from, to }: Synonym,
): Promise<Stored | undefined> {
  const row = await tx
    .insertInto('sapphire_synonyms')
    .values({
      organisation_id: organisationId,
      from_text: from,
      to_text: to,
      created_by: actor.userId,
      created_by_name: actor.displayName,
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'from_text']).doNothing())
    .returning(columnsFor(scope))
    .executeTakeFirst();
  return row && shown(row);
}

/** Undefined for none in the scope. */
export const deleteSynonym = (tx: Tx, scope: Scope, id: number): Promise<Synonym | undefined> =>
  tx
    .deleteFrom('sapphire_synonyms')
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .returning(['from_text as from', 'to_text as to'])
    .executeTakeFirst();
