/** SQL of imports. Every function takes the scope first; row-level security enforces it again. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { FileImport, ImportFormat } from '@parapet/contract/imports.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

/** A running import without progress for so long was interrupted. */
const interruptedAfter = sql`interval '2 minutes'`;

const selected = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('file_imports')
    .select([
      'id',
      'organisation_id as organisationId',
      'file_name as fileName',
      'format',
      'source',
      'mapping',
      sql<
        FileImport['state']
      >`case when state = 'running' and updated_at < now() - ${interruptedAfter} then 'failed' else state end`.as('state'),
      sql<number>`bytes::double precision`.as('bytes'),
      'records',
      'stored',
      'retimed',
      'duplicates',
      'refused',
      'refusals',
      'failure',
      'created_at as createdAt',
      'ended_at as endedAt',
      shownName(scope, 'created_by', 'created_by_name').as('createdBy'),
      sql<number>`(count(*) over ())::integer`.as('total'),
    ])
    .where(within('organisation_id', scope));
export type ImportRow = Awaited<ReturnType<typeof listImports>>[number];

export const listImports = (tx: Tx, scope: Scope, limit: number) =>
  selected(tx, scope).orderBy('id', 'desc').limit(limit).execute();

export const findImport = (tx: Tx, scope: Scope, id: number): Promise<ImportRow | undefined> =>
  selected(tx, scope).where('id', '=', id).executeTakeFirst();

export async function insertImport(
  tx: Tx,
  row: {
    organisationId: number;
    fileName: string;
    format: ImportFormat;
    source: string | null;
    mapping: EventMapping | null;
    userId: number;
    userName: string;
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('file_imports')
    .values({
      organisation_id: row.organisationId,
      file_name: row.fileName,
      format: row.format,
      source: row.source,
      mapping: row.mapping && JSON.stringify(row.mapping),
      created_by: row.userId,
      created_by_name: row.userName,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Starts a prepared import; false when it was started before, or prepared more than ten minutes ago. */
export async function beginImport(tx: Tx, scope: Scope, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('file_imports')
    .set({ state: 'running', updated_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('created_at', '>', sql<Date>`now() - interval '10 minutes'`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface Progress {
  bytes: number;
  records: number;
  stored: number;
  retimed: number;
  duplicates: number;
  refused: number;
  refusals: FileImport['refusals'];
}

/** Saves how far an import is; with a state it is over. */
export async function saveImport(
  tx: Tx,
  scope: Scope,
  id: number,
  { refusals, ...counts }: Progress,
  end?: { state: 'done' | 'failed'; failure: string },
): Promise<void> {
  await tx
    .updateTable('file_imports')
    .set({
      ...counts,
      refusals: JSON.stringify(refusals),
      updated_at: sql<Date>`now()`,
      ...(end && { ...end, ended_at: sql<Date>`now()` }),
    })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}
