/** Targets of an organisation, for people. Secrets go in and never come out, but a generated one once. */
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { readScoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { withdrawDeliveries } from '../../domain/causes.ts';
import { shownFields } from '../../domain/fields.ts';
import { createQuantities } from './deliveries.billing.ts';
import { createCallbackSetup, originsOf } from './deliveries.callbacks.setup.ts';
import { casesChanged, slaTimersNotified } from './deliveries.causes.ts';
import { createChanges } from './deliveries.changes.ts';
import { createChatAccounts } from './deliveries.chat.accounts.ts';
import { type DeliveriesDeps, type FindTarget, mayUse } from './deliveries.deps.ts';
import { createHistory } from './deliveries.history.ts';
import { createBrowsers } from './deliveries.push.accounts.ts';
import { createRules } from './deliveries.rules.ts';
import { shownTarget } from './deliveries.shown.ts';
import * as store from './deliveries.store.ts';
import { createTests } from './deliveries.tests.ts';
import { createTicketLists, createTickets } from './deliveries.tickets.ts';

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;

export function createDeliveriesService(deps: DeliveriesDeps) {
  const { db, clock, kinds, kindOf, examples } = deps;

  const find: FindTarget = async (tx, actor, scope, id) => {
    const row = await store.findTarget(tx, scope, id);
    if (!row) throw problem.notFound('target', id);
    const kind = kindOf(row.kind);
    if (kind && !mayUse(actor, kind))
      throw problem.forbidden(`Targets of the kind ${kind.title} are managed by your provider. Contact them to change it.`);
    return row;
  };

  return {
    async kinds(actor: Actor): Promise<AnswerOf<typeof deliveriesApi.kinds>> {
      const results = kinds.map((kind) => ({
        id: kind.id,
        title: kind.title,
        documentation: kind.documentation,
        steps: [...kind.steps],
        fields: shownFields(kind.fields),
        hasSigningSecret: kind.generated !== undefined,
        callbacks: kind.callbacks ? { secret: kind.callbacks.secret, steps: [...kind.callbacks.steps] } : null,
        isAllowed: mayUse(actor, kind),
        example: examples[kind.id] ?? null,
      }));
      return { results, total: results.length };
    },

    async targets(actor: Actor, client: number): Promise<AnswerOf<typeof deliveriesApi.targets>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => store.listTargets(tx, scope));
      const origins = await originsOf(deps, rows);
      const shown = rows.map((row) => shownTarget(row, kindOf(row.kind), clock.now(), origins.get(row.organisationId)));
      return { results: shown, total: rows.length };
    },

    casesChanged,
    slaTimersNotified: (tx: Tx, notified: Parameters<typeof slaTimersNotified>[2]) =>
      slaTimersNotified(tx, new Date(clock.now()), notified),
    withdraw: withdrawDeliveries,
    ...createHistory(deps, find),
    ...createTests(deps, find),
    ...createTickets(deps, find),
    ...createQuantities(deps, find),
    ...createTicketLists(deps, find),
    ...createChanges(deps, find),
    ...createCallbackSetup(deps, find),
    ...createChatAccounts(deps),
    ...createBrowsers(deps),
    ...createRules(deps, find),
  };
}
