/** SQL of webhook sources. Every function takes the scope first; row-level security enforces it again. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { WebhookAuthentication } from '@parapet/contract/webhookSources.ts';
import { sql } from 'kysely';
import { nextId } from '../../core/db/nextId.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

/** Sources with the newest version of their mapping. */
const selected = (tx: Tx) =>
  tx
    .selectFrom('webhook_sources')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('webhook_mappings')
          .select(['version', 'mapping'])
          .whereRef('source_id', '=', 'webhook_sources.id')
          .orderBy('version', 'desc')
          .limit(1)
          .as('newest'),
      (join) => join.onTrue(),
    )
    .select([
      'webhook_sources.id',
      'webhook_sources.organisation_id as organisationId',
      'webhook_sources.name',
      'webhook_sources.address',
      'webhook_sources.authentication',
      'webhook_sources.header',
      'webhook_sources.is_paused as isPaused',
      sql<number>`webhook_sources.events::double precision`.as('events'),
      sql<number>`webhook_sources.refused::double precision`.as('refused'),
      'webhook_sources.last_event_at as lastEventAt',
      'webhook_sources.refusal',
      'webhook_sources.refused_at as refusedAt',
      'webhook_sources.created_at as createdAt',
      'newest.version',
      'newest.mapping',
    ]);
export type WebhookRow = Awaited<ReturnType<typeof listSources>>[number];

export const listSources = (tx: Tx, scope: Scope) =>
  selected(tx)
    .where(within('webhook_sources.organisation_id', scope))
    .orderBy(sql`lower(name)`)
    .orderBy('webhook_sources.id')
    .limit(10_000)
    .execute();

export const findSource = (tx: Tx, scope: Scope, id: number): Promise<WebhookRow | undefined> =>
  selected(tx).where(within('webhook_sources.organisation_id', scope)).where('webhook_sources.id', '=', id).executeTakeFirst();

/** The source of an address, with its sealed secret; for the intake. */
export const findByAddress = (tx: Tx, address: string) =>
  selected(tx)
    .innerJoin('organisations as o', 'o.id', 'webhook_sources.organisation_id')
    .leftJoin('organisations as p', 'p.id', 'o.parent_id')
    .select('webhook_sources.secret')
    .where('webhook_sources.address', '=', address)
    .where('o.deactivated_at', 'is', null)
    .where('p.deactivated_at', 'is', null)
    .executeTakeFirst();

export const newSourceId = (tx: Tx): Promise<number> => nextId(tx, 'webhook_sources');

/** Returns false when the organisation already has a source of this name. */
export async function insertSource(
  tx: Tx,
  row: {
    id: number;
    organisationId: number;
    name: string;
    address: string;
    authentication: WebhookAuthentication;
    header: string;
    secret: Buffer;
  },
): Promise<boolean> {
  const { organisationId, ...columns } = row;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('webhook_sources')
    .values({ organisation_id: organisationId, ...columns })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Returns false if another save was first. */
export async function insertMapping(
  tx: Tx,
  row: {
    organisationId: number;
    sourceId: number;
    version: number;
    mapping: EventMapping;
    userId: number | null;
    userName: string;
  },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('webhook_mappings')
    .values({
      organisation_id: row.organisationId,
      source_id: row.sourceId,
      version: row.version,
      mapping: JSON.stringify(row.mapping),
      saved_by: row.userId,
      saved_by_name: row.userName,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .executeTakeFirst();
  return inserted !== undefined;
}

export const listMappings = (tx: Tx, scope: Scope, sourceId: number, limit: number) =>
  tx
    .selectFrom('webhook_mappings')
    .select([
      'version',
      'mapping',
      'saved_at as savedAt',
      shownName(scope, 'saved_by', 'saved_by_name').as('savedBy'),
      sql<number>`(count(*) over ())::integer`.as('total'),
    ])
    .where(within('organisation_id', scope))
    .where('source_id', '=', sourceId)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();

/** Returns true if the state changed. */
export async function updatePaused(tx: Tx, scope: Scope, id: number, isPaused: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_sources')
    .set({ is_paused: isPaused })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('is_paused', '<>', isPaused)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function updateSecret(tx: Tx, scope: Scope, id: number, secret: Buffer): Promise<void> {
  await tx.updateTable('webhook_sources').set({ secret }).where(within('organisation_id', scope)).where('id', '=', id).execute();
}

export async function removeSource(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx.deleteFrom('webhook_sources').where(within('organisation_id', scope)).where('id', '=', id).execute();
}

/** Counts a request. A request without refusals clears the refusal that is shown. */
export async function countRequest(
  tx: Tx,
  source: { id: number; organisationId: number },
  { stored, refused, refusal, now }: { stored: number; refused: number; refusal: string | undefined; now: Date },
): Promise<void> {
  await tx
    .updateTable('webhook_sources')
    .set({
      ...(stored > 0 && { events: sql<number>`events + ${stored}`, last_event_at: now }),
      ...(refusal === undefined
        ? { refusal: null, refused_at: null }
        : { refusal, refused_at: now, refused: sql<number>`refused + ${refused}` }),
    })
    .where('organisation_id', '=', source.organisationId)
    .where('id', '=', source.id)
    .execute();
}

/** Adds to the refused requests alone; the state stays. */
export async function addRefused(tx: Tx, source: { id: number; organisationId: number }, refused: number): Promise<void> {
  await tx
    .updateTable('webhook_sources')
    .set({ refused: sql<number>`refused + ${refused}` })
    .where('organisation_id', '=', source.organisationId)
    .where('id', '=', source.id)
    .execute();
}
