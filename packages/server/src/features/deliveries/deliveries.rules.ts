/** Routing rules: which events go to which target, and what a rule would have sent. */
import type { TargetKind } from '@parapet/connectors/out/target.ts';
import type { DeliveryRuleInput, deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { escalatedEvents, eventLabel, systemEvents } from '@parapet/contract/rules/deliveries.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import { countPreview } from './deliveries.preview.store.ts';
import * as store from './deliveries.rules.store.ts';
import { readNames } from './deliveries.store.ts';

const maxRules = 200;

/** Members that a change may leave out, so that they stay. */
type Optional = 'escalations' | 'withEvents' | 'digestMinutes';

const inputOf = ({ id, targetName, clientOrganizationID, ...input }: store.StoredRule): DeliveryRuleInput => input;

/** Throws invalid for levels that never send, or send twice. */
function checkEscalations({ escalations, events, afterMinutes, digestMinutes }: DeliveryRuleInput): void {
  const refuse = (text: string) => problem.invalid({ escalations: [text] });
  if (digestMinutes > 0 && (afterMinutes > 0 || escalations.length > 0))
    throw problem.invalid({ digestMinutes: ['A digest does not wait for an acknowledgement. Use a rule of its own for it.'] });
  if (escalations.length === 0) return;
  if (!events.some((event) => escalatedEvents.includes(event)))
    throw refuse('Only “Case opened” and “Verdict reached” are escalated. Choose one of these events.');
  if (escalations.some((level) => level.afterMinutes <= afterMinutes))
    throw refuse('A level of escalation must be later than the rule itself.');
  const distinct = new Set(escalations.map(({ afterMinutes: minutes, targetId }) => `${minutes} ${targetId}`));
  if (distinct.size < escalations.length) throw refuse('Two levels have the same time and target. Remove one.');
}

/** Throws invalid for a rule that never sends. */
function checkRule(rule: DeliveryRuleInput): void {
  const { events, verdicts, hours, afterMinutes } = rule;
  if (verdicts.length > 0 && events.every((event) => event === 'case.opened'))
    throw problem.invalid({ verdicts: ['A case has no verdict when it opens. Choose the event “Verdict reached”.'] });
  if (afterMinutes > 0 && events.some((event) => !escalatedEvents.includes(event)))
    throw problem.invalid({ afterMinutes: ['Only “Case opened” and “Verdict reached” can wait for an acknowledgement.'] });
  checkEscalations(rule);
  if (hours && hours.from === hours.to) throw problem.invalid({ 'hours.to': ['The end must differ from the begin.'] });
}

/** Throws invalid for events, and a digest, that the kind of target does not take. */
function checkKind(kind: TargetKind | undefined, { events, digestMinutes }: DeliveryRuleInput): void {
  const title = kind?.title ?? 'This target';
  const refused = kind?.capabilities.includes('export') ? undefined : events.find((event) => systemEvents.includes(event));
  if (refused)
    throw problem.invalid({ events: [`“${eventLabel(refused)}” goes to webhooks and SIEM targets only, not to ${title}.`] });
  if (digestMinutes > 0 && (!kind?.capabilities.includes('notify') || kind.follows || kind.isInside))
    throw problem.invalid({ digestMinutes: [`${title} takes each event on its own. Choose “Each event at once”.`] });
}

export function createRules({ db, clock, kindOf }: Pick<DeliveriesDeps, 'db' | 'clock' | 'kindOf'>, find: FindTarget) {
  /** Throws for a client that the rule cannot have, and for a rule that never sends. */
  const check = async (actor: Actor, client: number, rule: DeliveryRuleInput): Promise<void> => {
    const { clientId } = rule;
    // The scope of the owner leaves its clients out.
    const isCovered = (id: number) => readScoped(db, scopeOf(actor), (tx) => store.covers(tx, scopeOf(actor), client, id));
    if (clientId !== null && !(await isCovered(clientId)))
      throw problem.invalid({ clientId: ['Choose the target’s owner or one of its clients.'] });
    checkRule(rule);
  };

  /** Finds every target of a rule. Throws notFound or forbidden, and invalid where the target does not take the rule’s events. */
  const findAll = async (tx: Tx, actor: Actor, scope: Scope, rule: DeliveryRuleInput): Promise<void> => {
    for (const { targetId } of rule.escalations) await find(tx, actor, scope, targetId);
    const { kind } = await find(tx, actor, scope, rule.targetId);
    checkKind(kindOf(kind), rule);
  };

  const findRule = async (tx: Tx, scope: Scope, id: number): Promise<store.StoredRule> => {
    const rule = await store.findRule(tx, scope, id);
    if (!rule) throw problem.notFound('rule', id);
    return rule;
  };

  return {
    async rules(actor: Actor, client: number): Promise<AnswerOf<typeof deliveriesApi.rules>> {
      const scope = scopeFor(actor, client);
      const rules = await readScoped(db, scope, (tx) => store.listRules(tx, scope));
      const ids = rules.flatMap(({ clientId }) => clientId ?? []);
      const names = await readScoped(db, scopeOf(actor), (tx) => readNames(tx, scopeOf(actor), ids));
      const results = rules.map((rule) => ({ ...rule, clientName: names.get(rule.clientId ?? 0) ?? null }));
      return { results, total: results.length };
    },

    async createRule(actor: Actor, client: number, input: DeliveryRuleInput): Promise<{ id: number }> {
      const scope = scopeFor(actor, client);
      await check(actor, client, input);
      return scoped(db, scope, async (tx) => {
        await findAll(tx, actor, scope, input);
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

    async updateRule(
      actor: Actor,
      client: number,
      id: number,
      changed: Omit<DeliveryRuleInput, Optional> & Partial<Pick<DeliveryRuleInput, Optional>>,
    ): Promise<void> {
      const scope = scopeFor(actor, client);
      const stored = inputOf(await readScoped(db, scope, (tx) => findRule(tx, scope, id)));
      const { escalations = stored.escalations, withEvents = stored.withEvents, digestMinutes = stored.digestMinutes } = changed;
      const input = { ...changed, escalations, withEvents, digestMinutes };
      await check(actor, client, input);
      await scoped(db, scope, async (tx) => {
        const before = inputOf(await findRule(tx, scope, id));
        await findAll(tx, actor, scope, before);
        await findAll(tx, actor, scope, input);
        await store.updateRule(tx, scope, id, input);
        const entry = { action: 'deliveryRule.changed', organisationId: client, target: String(id) } as const;
        await recordAudit(tx, actor, { ...entry, before, after: input });
      });
    },

    async removeRule(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const before = inputOf(await findRule(tx, scope, id));
        await findAll(tx, actor, scope, before);
        await store.removeRule(tx, scope, id);
        await recordAudit(tx, actor, { action: 'deliveryRule.removed', organisationId: client, target: String(id), before });
      });
    },

    async preview(actor: Actor, client: number, input: DeliveryRuleInput): Promise<AnswerOf<typeof deliveriesApi.preview>> {
      const scope = scopeFor(actor, client);
      await check(actor, client, input);
      await readScoped(db, scope, (tx) => findAll(tx, actor, scope, input));
      const count = (tx: Tx) => countPreview(tx, scopeOf(actor), client, input, clock.now());
      const { results, escalations } = await readScoped(db, scopeOf(actor), count);
      return { results, escalations, total: [...results, ...escalations].reduce((sum, { count }) => sum + count, 0) };
    },
  };
}
