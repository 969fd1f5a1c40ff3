/** Rates of analysts’ time: each of the provider and partners sets its own, and sees no other. */
import type { AnalystRates } from '@parapet/contract/analystTime.ts';
import { canSeeInternal } from '@parapet/contract/visibility.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { readRates } from '../../domain/analystRates.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { RulesDeps } from './rules.sight.ts';

const own = ({ organisationId }: Actor): Scope => ({ organisationIds: [organisationId] });

/** Minutes for an alert of the actor's organisation; null for people of clients, who have no analysts. */
export const perAlertOf = async (tx: Tx, actor: Actor): Promise<number | null> =>
  canSeeInternal(actor) ? (await readRates(tx, actor.organisationId)).minutesPerAlert : null;

export const timeOf = (alerts: number, perAlert: number | null) =>
  perAlert === null ? null : { minutes: alerts * perAlert, perAlert };

export const getRates = ({ db }: RulesDeps, actor: Actor): Promise<AnalystRates> =>
  readScoped(db, own(actor), (tx) => readRates(tx, actor.organisationId));

export async function saveRates({ db }: RulesDeps, actor: Actor, rates: AnalystRates): Promise<AnalystRates> {
  const { organisationId } = actor;
  await scoped(db, own(actor), async (tx) => {
    const before = await readRates(tx, organisationId);
    await tx
      .updateTable('organisations')
      .set({ minutes_per_alert: rates.minutesPerAlert, minutes_per_case: rates.minutesPerCase })
      .where('id', '=', organisationId)
      .execute();
    const entry = { action: 'analystTime.changed', organisationId, target: String(organisationId) } as const;
    await recordAudit(tx, actor, { ...entry, before, after: rates });
  });
  return rates;
}
