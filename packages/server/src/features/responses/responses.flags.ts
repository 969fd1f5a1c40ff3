/** Flags that alerts show for isolated devices, disabled users and blocked devices, and the responses that hold them. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { done, holdingActions } from '../../domain/responseStates.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { kindOf } from './responses.rules.ts';
import { findArtifact, type ResponseRecord } from './responses.store.ts';
import { listNames } from './responses.targets.ts';

export type Flag = Tables['response_flags']['kind'];

/** Flag of an action; that of `block` depends on its target, and is undefined for addresses and hashes. */
export async function flagOf(tx: Tx, record: CaseRecord | undefined, response: ResponseRecord): Promise<Flag | undefined> {
  const { flag } = kindOf(response);
  if (flag || !record || !response.action.endsWith('block')) return flag;
  return (await findArtifact(tx, record, response.target, ['device'])) === undefined ? undefined : 'deviceBlocked';
}

/** Responses that hold on a target, newest first. A device also matches by the names of its flag. */
export const listHolders = (tx: Tx, organisationId: number, flag: Flag, target: string): Promise<ResponseRecord[]> =>
  tx
    .selectFrom('responses')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('state', 'in', [...done])
    .where('action', 'in', [...holdingActions[flag]])
    .where(
      sql<boolean>`(lower(target) = lower(${target}) or id = (select response_id from response_flags
        where organisation_id = ${organisationId} and kind = ${flag} and value_key = lower(${target})))`,
    )
    .orderBy('id', 'desc')
    .limit(100)
    .execute();

export async function setFlag(tx: Tx, flag: Flag, response: ResponseRecord, at: Date): Promise<void> {
  await sql`insert into response_flags (organisation_id, kind, value_key, response_id, since)
    select distinct ${response.organisation_id}::integer, ${flag}, lower(v), ${response.id}::integer, ${at}::timestamptz
    from unnest(${await valuesOf(tx, flag, response)}::text[]) v
    on conflict (organisation_id, kind, value_key) do update set response_id = excluded.response_id, since = excluded.since`.execute(
    tx,
  );
}

/** An account may be blocked on several devices: the flag stays while another response holds. */
export async function dropFlag(tx: Tx, flag: Flag, ended: ResponseRecord): Promise<void> {
  const holders = await listHolders(tx, ended.organisation_id, flag, ended.target);
  const other = holders.find(({ id }) => id !== ended.id);
  if (other) return setFlag(tx, flag, other, other.changed_at);
  await sql`delete from response_flags where organisation_id = ${ended.organisation_id} and kind = ${flag}
    and value_key in (select lower(v) from unnest(${await valuesOf(tx, flag, ended)}::text[]) v)`.execute(tx);
}

/** A flag stands under all names of its device. */
const valuesOf = async (tx: Tx, flag: Flag, { organisation_id, target }: ResponseRecord): Promise<string[]> =>
  flag === 'userDisabled' ? [target] : [target, ...(await listNames(tx, organisation_id, target))];
