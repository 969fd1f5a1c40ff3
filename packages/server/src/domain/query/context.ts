/** Context of an actor’s query: the same for an answer and for the list that its link opens. */
import type { Scope } from '../../core/db/scope.ts';
import { type Actor, reachAs } from '../../core/http/actor.ts';
import type { QueryContext } from './schema.ts';

/** PostgreSQL reads the sign of an offset the other way round. */
const sqlZone = (timeZone: string): string => timeZone.replace(/^[+-]/, (sign) => (sign === '+' ? '-' : '+'));

export const contextOf = (
  actor: Actor,
  scope: Scope,
  { now, timeZone = 'UTC' }: { now: number; timeZone?: string | undefined },
): QueryContext => ({
  scope,
  userId: actor.userId,
  organisationId: actor.organisationId,
  now,
  timeZone: sqlZone(timeZone),
  reach: (permission) => reachAs(actor, permission),
});
