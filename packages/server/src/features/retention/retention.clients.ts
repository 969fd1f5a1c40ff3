/** Choice of the retention of raw events, within the limits of the Host. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import { recordAudit } from '../../domain/audit.ts';
import { createRetentionRequests } from './retention.requests.ts';
import { createRetentionState, type RetentionStateDeps } from './retention.state.ts';
import * as store from './retention.store.ts';

type Choice = InputOf<typeof retentionApi.save>['body'];
type Limits = InputOf<typeof retentionApi.saveLimits>['body'];

export type RetentionClients = ReturnType<typeof createRetentionClients>;

export function createRetentionClients(deps: RetentionStateDeps) {
  const { db, eventRetentionDays, organisations, isProvidersHost, erasure } = deps;
  const { get, list, settingsOf } = createRetentionState(deps);

  return {
    get,
    list,

    async save(actor: Actor, client: number, choice: Choice): Promise<RetentionState> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const row = await settingsOf(tx, actor, client);
        const errors = faultsOf(choice, row, eventRetentionDays);
        if (Object.keys(errors).length > 0) throw problem.invalid(errors);
        await store.updateChoice(tx, client, choice);
        await recordAudit(tx, actor, {
          action: 'retention.saved',
          organisationId: client,
          target: row.name,
          before: { eventRetentionDays: row.eventRetentionDays, archiveMonths: row.archiveMonths },
          after: choice,
        });
      });
      return get(actor, client);
    },

    async saveLimits(actor: Actor, limits: Limits): Promise<void> {
      if (!isProvidersHost(actor)) throw problem.forbidden('Only the provider’s Host may change the limits of retention.');
      if (limits.minEventDays > (limits.maxEventDays ?? eventRetentionDays))
        throw problem.invalid({
          minEventDays: [`Enter at most ${limits.maxEventDays ?? eventRetentionDays}, the greatest number of days.`],
        });
      await scoped(db, 'system', async (tx) => {
        const { minEventDays, maxEventDays, maxArchiveMonths } = await settingsOf(tx, actor, actor.organisationId);
        await store.updateLimits(tx, limits);
        await recordAudit(tx, actor, {
          action: 'retention.limitsSaved',
          organisationId: actor.organisationId,
          before: { minEventDays, maxEventDays, maxArchiveMonths },
          after: limits,
        });
      });
    },

    async certificate(actor: Actor, client: number, format: 'json' | 'pdf'): Promise<FileAnswer> {
      await organisations.scopeOfOne(actor, client);
      return erasure.certificate(actor, client, format);
    },

    ...createRetentionRequests(deps, { get, settingsOf }),
  };
}

function faultsOf(choice: Choice, row: store.SettingsRow, portalDays: number): Record<string, string[]> {
  const { eventRetentionDays: days, archiveMonths: months } = choice;
  const most = row.maxEventDays ?? portalDays;
  return {
    ...(days !== null && (days < row.minEventDays || days > most)
      ? { eventRetentionDays: [`Enter ${row.minEventDays} to ${most} days.`] }
      : {}),
    ...((months ?? 0) > row.maxArchiveMonths ? { archiveMonths: [`Enter at most ${row.maxArchiveMonths} months.`] } : {}),
  };
}
