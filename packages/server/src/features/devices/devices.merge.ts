/** Merges duplicates into one device and unmerges them. Earlier records of merged devices stay under their names. */
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import { uuidColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Auditor, recordAudit } from '../../domain/audit.ts';
import type { IdentityRule } from './identity.rules.ts';

/** Matches the limit of a detail. */
const maxAliases = 100;

interface Row {
  id: string;
  organisationId: number;
  name: string;
  mergedInto: string | null;
  hasAgent: boolean;
}

interface Ask {
  target: string;
  duplicates: readonly string[];
  isMerged: boolean;
  /** Rule that merges, with what it found equal; absent for a person's decision. */
  match?: { rule: IdentityRule; value: string };
}

/** Locks the named devices and their duplicates, in a fixed order. */
async function lockDevices(tx: Tx, scope: Scope, ids: readonly string[]): Promise<Map<string, Row>> {
  const { rows } = await sql<Row>`
    select d.id, d.organisation_id as "organisationId", d.name, d.merged_into as "mergedInto",
      exists (select from agents a where a.organisation_id = d.organisation_id and a.device_id = d.id and a.revoked_at is null) as "hasAgent"
    from devices d where ${within('d.organisation_id', scope)} and (d.id = any (${uuidColumn(ids)}) or d.merged_into = any (${uuidColumn(ids)}))
    order by d.id for update`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function mergeDevices(
  tx: Tx,
  scope: Scope,
  actor: Auditor,
  { target: targetId, duplicates, isMerged, match }: Ask,
  now: Date,
): Promise<{ uuid: string; aliases: number }> {
  const wanted = [...new Set(duplicates)];
  const rows = await lockDevices(tx, scope, [targetId, ...wanted]);
  const get = (id: string): Row => {
    const row = rows.get(id);
    if (!row) throw problem.notFound('device', id);
    return row;
  };
  const target = get(targetId);
  const chosen = wanted.map(get);
  if (chosen.some((row) => row.organisationId !== target.organisationId))
    throw problem.invalid({ duplicates: ['All devices must belong to one client organisation; choose one and try again.'] });
  if (wanted.includes(targetId)) throw problem.invalid({ duplicates: ['A device cannot be its own duplicate; leave it out.'] });
  if (target.mergedInto !== null)
    throw problem.conflict(
      `"${target.name}" is itself merged into another device. Merge into that one, or take "${target.name}" out of it first.`,
    );

  const own = (id: string) => [...rows.values()].filter((row) => row.mergedInto === id);
  const changed = isMerged
    ? [...chosen, ...chosen.flatMap((row) => own(row.id))].filter((row) => row.mergedInto !== targetId)
    : chosen.filter((row) => row.mergedInto === targetId);
  const after = isMerged
    ? new Set([...own(targetId), ...changed].map((row) => row.id))
    : new Set(
        own(targetId)
          .filter((row) => !changed.includes(row))
          .map((row) => row.id),
      );
  after.delete(targetId);
  const answer = { uuid: targetId, aliases: after.size };
  if (changed.length === 0) return answer;
  if (isMerged) {
    if (after.size > maxAliases)
      throw problem.conflict(
        `A device may have at most ${maxAliases} names besides its own; "${target.name}" would have ${after.size}.`,
      );
    const withAgent = [target, ...[...after].map(get)].filter((row) => row.hasAgent);
    if (withAgent.length > 1)
      throw problem.conflict(
        `"${withAgent[0]!.name}" and "${withAgent[1]!.name}" each have an agent of their own, so they are two machines. Revoke one of the agents first.`,
      );
  }
  const ids = changed.map((row) => row.id);
  await tx
    .updateTable('devices')
    .set({
      merged_into: isMerged ? targetId : null,
      merged_at: isMerged ? now : null,
      merged_rule: match?.rule ?? null,
      merged_value: match?.value ?? null,
    })
    .where('organisation_id', '=', target.organisationId)
    .where('id', 'in', ids)
    .execute();
  if (!match) await (isMerged ? forgetSeparation : rememberSeparation)(tx, target, ids);
  if (isMerged) {
    await tx
      .insertInto('device_tags')
      .columns(['organisation_id', 'device_id', 'tag_id'])
      .expression((eb) =>
        eb
          .selectFrom('device_tags')
          .select(['organisation_id', sql<string>`${targetId}::uuid`.as('device_id'), 'tag_id'])
          .distinct()
          .where('organisation_id', '=', target.organisationId)
          .where('device_id', 'in', ids),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await sql`
      update devices d set last_event_at = greatest(d.last_event_at, (select max(i.last_event_at) from devices i where i.merged_into = d.id))
      where d.organisation_id = ${target.organisationId} and d.id = ${targetId}`.execute(tx);
  }
  await recordAudit(tx, actor, {
    action: isMerged ? 'devices.merged' : 'devices.separated',
    organisationId: target.organisationId,
    target: targetId,
    after: { device: target.name, duplicates: changed.map(({ id, name }) => ({ id, name })), ...match },
  });
  return answer;
}

type Separation = (tx: Tx, target: Pick<Row, 'id' | 'organisationId'>, ids: readonly string[]) => Promise<unknown>;

/** Rules leave alone what a person took apart. */
const rememberSeparation: Separation = (tx, { id, organisationId }, ids) =>
  tx
    .insertInto('device_separations')
    .values(ids.map((other) => ({ organisation_id: organisationId, device_id: id, other_id: other })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();

const forgetSeparation: Separation = (tx, { id, organisationId }, ids) =>
  sql`delete from device_separations where organisation_id = ${organisationId}
    and (device_id = ${id} and other_id = any (${uuidColumn(ids)}) or other_id = ${id} and device_id = any (${uuidColumn(ids)}))`.execute(
    tx,
  );
