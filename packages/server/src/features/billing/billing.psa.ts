/** Counts beside the agreements of a PSA. Nothing is written but by a confirmation, whose state is that of its deliveries. */
import type { BillingLine, billingApi } from '@parapet/contract/billing.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type BillingMeasure, billingMeasureValues } from '@parapet/contract/rules/billing.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { BillingDeps } from './billing.deps.ts';
import { billedOf, targetOfClient } from './billing.reads.ts';
import * as store from './billing.store.ts';

export function createPsaBilling(deps: BillingDeps) {
  const { db, deliveries } = deps;
  const targetOf = targetOfClient(deps);
  return {
    async targets(actor: Actor, client: number): Promise<AnswerOf<typeof billingApi.targets>> {
      scopeFor(actor, client);
      const found = await deliveries.billingTargets(actor, client);
      const results = found.map(({ id, name, title, companyName }) => ({ id, name, title, companyName }));
      return { results, total: results.length };
    },

    async compare(actor: Actor, client: number, id: number, month: string): Promise<AnswerOf<typeof billingApi.compare>> {
      const target = await targetOf(actor, client, id);
      const scope = scopeOf(actor);
      const { billed, lines, writes } = await readScoped(db, scope, async (tx) => ({
        billed: await billedOf(tx, actor, client, month),
        lines: await store.listLines(tx, scope, id, client),
        writes: await store.listWrites(tx, scope, { targetId: id, clientId: client, month }),
      }));
      const read = await deliveries.readAgreements(actor, target);
      const agreements = 'error' in read ? null : read.agreements.map(({ items, ...rest }) => ({ ...rest, items: [...items] }));
      return {
        agreements,
        error: 'error' in read ? read.error : null,
        lines: billingMeasureValues.map((measure): BillingLine => {
          const line = lines.find((each) => each.measure === measure);
          const item = agreements
            ?.find((agreement) => agreement.id === line?.agreementId)
            ?.items.find((each) => each.id === line?.itemId);
          const write = writes.find((each) => each.measure === measure);
          return {
            measure,
            agreementId: line?.agreementId ?? '',
            itemId: line?.itemId ?? '',
            label: line?.label ?? '',
            counted: billed?.[measure] ?? null,
            current: item?.quantity ?? null,
            isGone: line !== undefined && agreements !== null && !item,
            newest: write ? { ...shownWrite(write) } : null,
          };
        }),
      };
    },

    async saveLines(
      actor: Actor,
      client: number,
      id: number,
      given: readonly { measure: BillingMeasure; agreementId: string; itemId: string }[],
    ): Promise<void> {
      const target = await targetOf(actor, client, id);
      const read = await deliveries.readAgreements(actor, target);
      if ('error' in read) throw problem.unavailable(`${read.error} The items were not saved.`);
      const lines = given.map(({ measure, agreementId, itemId }, index) => {
        const agreement = read.agreements.find((each) => each.id === agreementId);
        const item = agreement?.items.find((each) => each.id === itemId);
        const field = `lines.${index}.itemId`;
        if (!agreement || !item) throw problem.invalid({ [field]: [`${read.who} no longer has this item. Choose another.`] });
        const isTwice = given.findIndex((each) => each.agreementId === agreementId && each.itemId === itemId) !== index;
        if (isTwice) throw problem.invalid({ [field]: ['Another measure has this item already.'] });
        return { measure, agreementId, itemId, label: `${agreement.label}: ${item.label}`.slice(0, 450) };
      });
      if (new Set(lines.map(({ measure }) => measure)).size < lines.length)
        throw problem.invalid({ lines: ['Each measure has one item.'] });
      const scope = scopeOf(actor);
      const named = (rows: readonly store.LineRow[]) => rows.map(({ measure, label }) => ({ measure, label }));
      await scoped(db, scope, async (tx) => {
        const others = await store.listItemsOfOthers(tx, scope, id, client);
        for (const [index, { agreementId, itemId }] of lines.entries())
          if (others.has(`${agreementId} ${itemId}`))
            throw problem.invalid({ [`lines.${index}.itemId`]: ['Another client has this item already.'] });
        const before = await store.listLines(tx, scope, id, client);
        await store.replaceLines(tx, { organisationId: target.organisationId, targetId: id, clientId: client }, lines);
        await recordAudit(tx, actor, {
          action: 'billing.linesSet',
          organisationId: target.organisationId,
          target: `${id}/${client}`,
          before: named(before),
          after: named(lines),
        });
      });
    },
  };
}

const shownWrite = ({ measure: _, at, ...write }: store.WriteRow) => ({ ...write, at: at.toISOString() });
