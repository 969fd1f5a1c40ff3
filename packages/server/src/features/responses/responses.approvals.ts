/** Approval needs of a request: the client's rules, the defaults, protected assets, and the limit of isolations per person. */
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { isSingleOperator } from '../../domain/approvers.ts';
import { lockUser } from '../../domain/user-lock.ts';
import {
  type Action,
  accountKeys,
  defaultApprovalText,
  deviceOf,
  isOfUser,
  kindOf,
  namesSensitive,
  needsSecondPerson,
  type Rule,
  ruleFor,
  ruleText,
} from './responses.rules.ts';
import { listNames, type PlaceWithAgent, type Wanted } from './responses.targets.ts';

export interface Approval {
  approvals_needed: number;
  approver_kind: 'client' | 'partner' | 'provider' | null;
  rule_text: string;
  silence: 'expire' | 'approve';
  waitMs: number;
}

const maxIsolations = 5;
const isolationMs = 10 * 60_000;
const defaultWaitMs = 60 * 60_000;

export async function approvalOf(
  tx: Tx,
  clock: Clock,
  actor: Actor,
  wanted: Wanted,
  places: readonly PlaceWithAgent[],
): Promise<Approval> {
  const { organisation_id: organisationId } = wanted;
  const { time_zone: timeZone } = await tx
    .selectFrom('organisations')
    .select('time_zone')
    .where('id', '=', organisationId)
    .executeTakeFirstOrThrow();
  const rules = await tx
    .selectFrom('approval_rules')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .limit(500)
    .execute();
  const deviceTypes = places.map((place) => place.deviceType);
  const action = wanted.action as Action;
  const found = ruleFor(rules, { action, deviceTypes, now: clock.now(), timeZone });
  const isSensitive = needsSecondPerson(action, deviceTypes);
  const rule = found && isSensitive && !namesSensitive(found, action) ? heldToDefault(found) : found;
  const kind = rule && rule.approvers !== 'nobody' ? rule.approvers : null;

  const texts = rule ? [ruleText(rule)] : isSensitive ? [defaultApprovalText(action)] : [];
  let needed = rule ? (kind ? rule.persons : 0) : isSensitive ? 1 : 0;
  let silence = rule && kind ? rule.silence : 'expire';
  // Never approved by silence.
  const alsoNeeds = (persons: number, text: string) => {
    needed = Math.max(needed, persons);
    silence = 'expire';
    texts.push(text);
  };
  if (!kindOf(wanted).isUndo) {
    const reason = await findProtection(tx, wanted);
    if (reason !== undefined) alsoNeeds(2, `Protected asset (${reason}): 2 other people must approve.`);
  }
  if (wanted.action === 'isolate' && (await countIsolations(tx, clock, actor)) >= maxIsolations)
    // Without the requester’s name, which some readers may not see.
    alsoNeeds(1, `${maxIsolations} isolations in 10 minutes were requested by one person: a second person must approve more.`);
  if (needed > 1 && (await isSingleOperator(tx))) needed = 1;
  return {
    approvals_needed: needed,
    approver_kind: kind,
    rule_text: texts.join(' ').slice(0, 2000),
    silence,
    waitMs: rule && kind ? rule.wait_minutes * 60_000 : defaultWaitMs,
  };
}

/** A general rule cannot waive a second person or allow approval by silence; it only sets the approvers. */
const heldToDefault = <R extends Rule>(rule: R): R | undefined =>
  rule.approvers === 'nobody' ? undefined : { ...rule, silence: 'expire' };

/** Reason of the protection; undefined for an unprotected target. */
async function findProtection(tx: Tx, wanted: Wanted): Promise<string | undefined> {
  const { organisation_id: organisationId, action, target } = wanted;
  // Reading a file changes nothing on the device.
  if (action === 'collectFile') return undefined;
  const assets = await tx
    .selectFrom('protected_assets')
    .select(['kind', 'value', 'reason'])
    .where('organisation_id', '=', organisationId)
    .limit(1_000)
    .execute();
  if (assets.length === 0) return undefined;
  // A blocked artifact may be a device. Actions on an account do not affect its device as a whole.
  const device = isOfUser(wanted) ? undefined : (deviceOf(wanted) ?? target);
  const devices = device === undefined ? [] : [...(await listNames(tx, organisationId, device)), target.toLowerCase()];
  const accounts = isOfUser(wanted) ? accountKeys(target) : [];
  return assets.find(({ kind, value }) =>
    kind === 'device' ? devices.includes(value.toLowerCase()) : accountKeys(value).some((key) => accounts.includes(key)),
  )?.reason;
}

/** Isolations by the actor in the last 10 minutes; the user lock serialises concurrent requests. */
async function countIsolations(tx: Tx, clock: Clock, actor: Actor): Promise<number> {
  await lockUser(tx, scopeOf(actor), actor.userId);
  const { count } = await tx
    .selectFrom('responses')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('action', '=', 'isolate')
    .where('requested_by', '=', actor.userId)
    .where('requested_at', '>', new Date(clock.now() - isolationMs))
    .executeTakeFirstOrThrow();
  return count;
}
