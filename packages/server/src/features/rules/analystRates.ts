/** Rates of analysts’ time, which the provider sets. */
import { providerId } from '@parapet/contract/access.ts';
import type { AnalystRates } from '@parapet/contract/analystTime.ts';
import { problem } from '@parapet/contract/problem.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { readRates } from '../../domain/analystRates.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { RulesDeps } from './rules.sight.ts';

function requireProvider(actor: Actor): void {
  if (actor.organisationId !== providerId) throw problem.forbidden('Analyst time is set by the provider.');
}

export async function getRates({ db }: RulesDeps, actor: Actor): Promise<AnalystRates> {
  requireProvider(actor);
  return readScoped(db, { organisationIds: [providerId] }, readRates);
}

export async function saveRates({ db }: RulesDeps, actor: Actor, rates: AnalystRates): Promise<AnalystRates> {
  requireProvider(actor);
  await scoped(db, 'system', async (tx) => {
    const before = await readRates(tx);
    await tx
      .updateTable('installation_settings')
      .set({ minutes_per_alert: rates.minutesPerAlert, minutes_per_case: rates.minutesPerCase })
      .execute();
    await recordAudit(tx, actor, {
      action: 'analystTime.changed',
      organisationId: providerId,
      target: String(providerId),
      before,
      after: rates,
    });
  });
  return rates;
}
