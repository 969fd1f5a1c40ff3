/** Counts of clients by month, for administrators of the provider and of partners. */
import { allClients } from '@parapet/contract/access.ts';
import type { BillingRow, billingApi } from '@parapet/contract/billing.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { CorrectedMeasure } from '@parapet/contract/rules/billing.ts';
import { csvType } from '../../core/csv.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import { recordAudit } from '../../domain/audit.ts';
import { createConfirmations } from './billing.confirm.ts';
import type { BillingDeps } from './billing.deps.ts';
import { createPsaBilling } from './billing.psa.ts';
import { billingCsv, shownRow } from './billing.shown.ts';
import * as store from './billing.store.ts';

export type BillingService = ReturnType<typeof createBillingService>;

const maxRows = 20_000;

export function createBillingService(deps: BillingDeps) {
  const { db, clock } = deps;

  const rowsOf = (actor: Actor, client: number, month: string): Promise<BillingRow[]> => {
    const scope = scopeFor(actor, client);
    return readScoped(db, scope, async (tx) => {
      const rows = await store.listMonth(tx, scope, month, maxRows);
      const corrections = Map.groupBy(await store.listCorrections(tx, scope, month), (row) => row.organisationId);
      return rows.map((row) => shownRow(row, month, corrections.get(row.organisationId) ?? []));
    });
  };

  return {
    async list(actor: Actor, client: number, month: string): Promise<AnswerOf<typeof billingApi.list>> {
      const results = await rowsOf(actor, client, month);
      return { results, total: results.length };
    },

    async csv(actor: Actor, client: number, month: string): Promise<FileAnswer> {
      const rows = await rowsOf(actor, client, month);
      const organisationId = client === allClients ? actor.organisationId : client;
      await scoped(db, scopeFor(actor, client), (tx) =>
        recordAudit(tx, actor, { action: 'billing.exported', organisationId, after: { month } }),
      );
      return { type: csvType, bytes: billingCsv(rows), downloadName: `billing-${month}.csv` };
    },

    async items(
      actor: Actor,
      client: number,
      { month, page, pageSize }: { month: string; page: number; pageSize: number },
    ): Promise<AnswerOf<typeof billingApi.items>> {
      const scope = scopeFor(actor, client);
      const place = { limit: pageSize, offset: (page - 1) * pageSize };
      const { rows, total } = await readScoped(db, scope, (tx) => store.listItems(tx, scope, month, place));
      return { results: rows, total };
    },

    /** Corrects a closed month; an open one is still counted. */
    async correct(
      actor: Actor,
      client: number,
      given: { month: string; measure: CorrectedMeasure; amount: number; reason: string },
    ): Promise<AnswerOf<typeof billingApi.correct>> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, async (tx) => {
        const found = await store.lockMonth(tx, scope, given.month);
        if (!found) throw problem.notFound('month', given.month);
        if (!found.closedAt) throw problem.conflict(`${given.month} is still open. It is counted until two days after its end.`);
        const by = { userId: actor.userId, name: actor.displayName, at: new Date(clock.now()) };
        const id = await store.insertCorrection(tx, { organisationId: client, ...given }, by);
        const { month, measure, amount, reason } = given;
        const after = { month, measure, amount, reason };
        await recordAudit(tx, actor, { action: 'billing.corrected', organisationId: client, target: String(id), after });
        return { id };
      });
    },

    ...createPsaBilling(deps),
    ...createConfirmations(deps),
  };
}
