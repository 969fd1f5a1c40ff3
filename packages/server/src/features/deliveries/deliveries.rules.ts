/** Routing rules: which events go to which target, and what a rule would have sent. */
import type { DeliveryRule, DeliveryRuleInput, deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import * as store from './deliveries.rules.store.ts';

const maxRules = 200;

const inputOf = ({ id, targetName, clientName, clientOrganizationID, ...input }: DeliveryRule): DeliveryRuleInput => input;

export function createRules({ db, clock }: Pick<DeliveriesDeps, 'db' | 'clock'>, find: FindTarget) {
  /** Throws for a target or a client that the rule cannot have, and for one that never sends. */
  const check = async (tx: Tx, actor: Actor, scope: Scope, client: number, rule: DeliveryRuleInput): Promise<void> => {
    await find(tx, actor, scope, rule.targetId);
    const { clientId, events, verdicts, hours, afterMinutes } = rule;
    if (clientId !== null && !(await store.covers(tx, scopeOf(actor), client, clientId)))
      throw problem.invalid({ clientId: ['Choose the target’s owner or one of its clients.'] });
    if (verdicts.length > 0 && events.every((event) => event === 'case.opened'))
      throw problem.invalid({ verdicts: ['A case has no verdict when it opens. Choose the event “Verdict reached”.'] });
    if (afterMinutes > 0 && events.some((event) => event !== 'case.opened' && event !== 'case.verdict'))
      throw problem.invalid({ afterMinutes: ['Only “Case opened” and “Verdict reached” can wait for an acknowledgement.'] });
    if (hours && hours.from === hours.to) throw problem.invalid({ 'hours.to': ['The end must differ from the begin.'] });
  };

  const findRule = async (tx: Tx, scope: Scope, id: number): Promise<DeliveryRule> => {
    const rule = await store.findRule(tx, scope, id);
    if (!rule) throw problem.notFound('rule', id);
    return rule;
  };

  return {
    async rules(actor: Actor, client: number): Promise<AnswerOf<typeof deliveriesApi.rules>> {
      const scope = scopeFor(actor, client);
      // Names of clients are read in the actor's whole scope.
      const results = await readScoped(db, scopeOf(actor), (tx) => store.listRules(tx, scope));
      return { results, total: results.length };
    },

    async createRule(actor: Actor, client: number, input: DeliveryRuleInput): Promise<{ id: number }> {
      const scope = scopeFor(actor, client);
      return scopedOverClients(actor, async (tx) => {
        await check(tx, actor, scope, client, input);
        if ((await store.listRules(tx, scope)).length >= maxRules)
          throw problem.conflict(`This organisation has ${maxRules} rules, the maximum. Remove one first.`);
        const id = await store.insertRule(tx, client, input);
        await recordAudit(tx, actor, {
          action: 'deliveryRule.created',
          organisationId: client,
          target: String(id),
          after: input,
        });
        return { id };
      });
    },

    async updateRule(actor: Actor, client: number, id: number, input: DeliveryRuleInput): Promise<void> {
      const scope = scopeFor(actor, client);
      await scopedOverClients(actor, async (tx) => {
        const before = inputOf(await findRule(tx, scope, id));
        await find(tx, actor, scope, before.targetId);
        await check(tx, actor, scope, client, input);
        await store.updateRule(tx, scope, id, input);
        const entry = { action: 'deliveryRule.changed', organisationId: client, target: String(id) } as const;
        await recordAudit(tx, actor, { ...entry, before, after: input });
      });
    },

    async removeRule(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const before = inputOf(await findRule(tx, scope, id));
        await find(tx, actor, scope, before.targetId);
        await store.removeRule(tx, scope, id);
        await recordAudit(tx, actor, { action: 'deliveryRule.removed', organisationId: client, target: String(id), before });
      });
    },

    async preview(actor: Actor, client: number, input: DeliveryRuleInput): Promise<AnswerOf<typeof deliveriesApi.preview>> {
      const scope = scopeFor(actor, client);
      const results = await scopedOverClients(actor, async (tx) => {
        await check(tx, actor, scope, client, input);
        return store.countPreview(tx, scopeOf(actor), client, input, clock.now());
      });
      return { results, total: results.reduce((sum, { count }) => sum + count, 0) };
    },
  };

  /** A rule's client may be one of the owner's clients, which the owner's own scope leaves out. */
  function scopedOverClients<T>(actor: Actor, work: (tx: Tx) => Promise<T>): Promise<T> {
    return scoped(db, scopeOf(actor), work);
  }
}
