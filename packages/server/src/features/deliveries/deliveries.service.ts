/** Targets of an organisation: added, tried, changed and removed by people. Secrets go in and never come out, but a generated one once. */
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { deliveryHours } from '@parapet/contract/rules/deliveries.ts';
import { publish } from '../../core/bus.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { withdrawDeliveries } from '../../domain/causes.ts';
import { hourMs } from '../../domain/ranges.ts';
import { casesChanged } from './deliveries.causes.ts';
import { createChanges } from './deliveries.changes.ts';
import { type DeliveriesDeps, type FindTarget, mayUse } from './deliveries.deps.ts';
import { createRules } from './deliveries.rules.ts';
import { shownDelivery, shownTarget } from './deliveries.shown.ts';
import * as store from './deliveries.store.ts';
import { createTests } from './deliveries.tests.ts';

type Target = Pick<store.TargetRow, 'id' | 'organisationId'>;

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;

export function createDeliveriesService(deps: DeliveriesDeps) {
  const { db, clock, kinds, kindOf, examples } = deps;

  const find: FindTarget = async (tx, actor, scope, id) => {
    const row = await store.findTarget(tx, scope, id);
    if (!row) throw problem.notFound('target', id);
    const kind = kindOf(row.kind);
    if (kind && !mayUse(actor, kind))
      throw problem.forbidden(`Targets of the kind ${kind.title} are administrated by your provider. Contact them to change it.`);
    return row;
  };

  /** Names of clients are read in the actor's whole scope. */
  const shown = async (actor: Actor, scope: Scope, targetId: number, id: number) => {
    const row = await readScoped(db, scopeOf(actor), (tx) => store.findDelivery(tx, scope, targetId, id));
    if (!row) throw problem.notFound('delivery', id);
    return row;
  };

  const requeue = async (
    tx: Tx,
    actor: Actor,
    scope: Scope,
    { id: target, organisationId }: Target,
    id?: number,
  ): Promise<number> => {
    const now = clock.now();
    const times = { now: new Date(now), until: new Date(now + deliveryHours * hourMs) };
    const count = await store.requeue(tx, scope, target, id, times);
    if (count === 0) return 0;
    const after = id === undefined ? { count } : { delivery: id };
    await recordAudit(tx, actor, { action: 'delivery.replayed', organisationId, target: String(target), after });
    await publish(tx, 'deliveries.due', {});
    return count;
  };

  return {
    async kinds(actor: Actor): Promise<AnswerOf<typeof deliveriesApi.kinds>> {
      const results = kinds.map((kind) => ({
        id: kind.id,
        title: kind.title,
        documentation: kind.documentation,
        steps: [...kind.steps],
        fields: kind.fields.map(({ name, label, hint, initial = '', isSecret, isLong = false }) => ({
          name,
          label,
          hint,
          initial,
          isSecret,
          isLong,
        })),
        hasSigningSecret: kind.generated !== undefined,
        isAllowed: mayUse(actor, kind),
        example: examples[kind.id] ?? null,
      }));
      return { results, total: results.length };
    },

    async targets(actor: Actor, client: number): Promise<AnswerOf<typeof deliveriesApi.targets>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => store.listTargets(tx, scope));
      return { results: rows.map((row) => shownTarget(row, kindOf(row.kind), clock.now())), total: rows.length };
    },

    async list(
      actor: Actor,
      client: number,
      target: number,
      { page, pageSize }: { page: number; pageSize: number },
    ): Promise<AnswerOf<typeof deliveriesApi.list>> {
      const scope = scopeFor(actor, client);
      const { rows, total } = await readScoped(db, scopeOf(actor), async (tx) => {
        if (!(await store.findTarget(tx, scope, target))) throw problem.notFound('target', target);
        return store.listDeliveries(tx, scope, target, { limit: pageSize, offset: (page - 1) * pageSize });
      });
      return { results: rows.map(shownDelivery), total };
    },

    async get(actor: Actor, client: number, target: number, id: number): Promise<AnswerOf<typeof deliveriesApi.get>> {
      const row = await shown(actor, scopeFor(actor, client), target, id);
      const { request, answer, answerStatus, messageId } = row;
      return { ...shownDelivery(row), request, answer, answerStatus, messageId };
    },

    async replay(actor: Actor, client: number, target: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const found = await find(tx, actor, scope, target);
        if (!(await store.findDelivery(tx, scope, target, id))) throw problem.notFound('delivery', id);
        if ((await requeue(tx, actor, scope, found, id)) === 0)
          throw problem.conflict(`Delivery ${id} was not given up, so it can’t be replayed.`);
      });
    },

    async replayAll(actor: Actor, client: number, target: number): Promise<{ count: number }> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, async (tx) => {
        return { count: await requeue(tx, actor, scope, await find(tx, actor, scope, target)) };
      });
    },

    casesChanged,
    withdraw: withdrawDeliveries,
    ...createTests(deps, find, shown),
    ...createChanges(deps, find),
    ...createRules(deps, find),
  };
}
