/** SQL of collector configurations: one immutable row per version. */
import type { ConfigKind } from '@parapet/contract/collectors.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

const ofKind = (tx: Tx, scope: Scope, kind: ConfigKind) =>
  tx.selectFrom('collector_configs').where(within('organisation_id', scope)).where('kind', '=', kind);

/** A version, or the newest; undefined if none was saved, or the version does not exist. */
export const findConfig = (tx: Tx, scope: Scope, kind: ConfigKind, version?: number) =>
  ofKind(tx, scope, kind)
    .select(['version', 'yaml', 'comment', 'saved_at as savedAt', shownName(scope, 'saved_by', 'saved_by_name').as('savedBy')])
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();

export async function listVersions(tx: Tx, scope: Scope, kind: ConfigKind, limit: number) {
  const rows = await ofKind(tx, scope, kind)
    .select([
      'version',
      'comment',
      'added',
      'removed',
      'saved_at as savedAt',
      shownName(scope, 'saved_by', 'saved_by_name').as('savedBy'),
      sql<number>`count(*) over ()`.as('total'),
    ])
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
  return { results: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

/** Returns false if another save was first. */
export async function insertConfig(
  tx: Tx,
  config: {
    organisationId: number;
    kind: ConfigKind;
    version: number;
    yaml: string;
    comment: string;
    added: number;
    removed: number;
    savedBy: number;
    savedByName: string;
    savedAt: Date;
  },
): Promise<boolean> {
  const row = await tx
    .insertInto('collector_configs')
    .values({
      organisation_id: config.organisationId,
      kind: config.kind,
      version: config.version,
      yaml: config.yaml,
      comment: config.comment,
      added: config.added,
      removed: config.removed,
      saved_by: config.savedBy,
      saved_by_name: config.savedByName,
      saved_at: config.savedAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .executeTakeFirst();
  return row !== undefined;
}

export const findName = async (tx: Tx, organisationId: number): Promise<string> =>
  (await tx.selectFrom('organisations').select('name').where('id', '=', organisationId).executeTakeFirst())?.name ?? '';
