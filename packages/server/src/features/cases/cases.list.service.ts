/** Lists and figures of cases, and the CSV export. */
import type { Readable } from 'node:stream';
import type { casesApi } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { caseStatuses, decisionResultTypes, resolutionLabel, resolutionValues, verdicts } from '@parapet/contract/rules/cases.ts';
import { judgedVerdicts } from '@parapet/contract/rules/judgement.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queryText } from '../../domain/query/listed.ts';
import { rangeOf } from '../../domain/ranges.ts';
import { listAnalysts } from './cases.analysts.ts';
import { casesCsv, exportBatch } from './cases.export.ts';
import { caseSelection, countFacets, countLimit, listCases, listPart, listUnseenAnswers } from './cases.list.ts';
import { listTimes, listUnderInvestigation } from './cases.times.ts';

type Answer<K extends keyof typeof casesApi> = Promise<AnswerOf<(typeof casesApi)[K]>>;

export function createCaseLists({ db, clock }: { db: Database; clock: Clock }) {
  return {
    async list(actor: Actor, body: z.output<typeof casesApi.list.body>): Answer<'list'> {
      const scope = scopeFor(actor, body.selectedClientOrganizationID);
      const { filters, sort, order, pageSize: limit } = body;
      const range = rangeOf(body.start, body.end);
      if (range.start >= range.end) throw problem.invalid({ end: ['The end must be after the start.'] });
      const offset = (body.page - 1) * limit;
      if (offset + limit > countLimit) {
        throw problem.invalid({
          page: [`The first ${countLimit} cases can be paged through; narrow the timeframe or the filters.`],
        });
      }
      return readScoped(db, scope, (tx) =>
        listCases(tx, scope, { ...caseSelection(actor, scope, filters, range, clock.now()), sort, order, offset, limit }),
      );
    },

    async filters(actor: Actor, client: number, start: string, end: string): Answer<'filters'> {
      const scope = scopeFor(actor, client);
      return filtersOf(await readScoped(db, scope, (tx) => countFacets(tx, scope, rangeOf(start, end))));
    },

    async exportList(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      query: z.output<typeof casesApi.exportList.query>,
    ): Promise<Readable> {
      const scope = scopeFor(actor, client);
      const selection = caseSelection(actor, scope, query, rangeOf(start, end), clock.now());
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'cases.exported',
          organisationId: client || actor.organisationId,
          after: { client, start, end, ...query, query: queryText(query.query) },
        }),
      );
      return casesCsv(async (below: { position: string; id: number } | undefined) => {
        const query = { ...selection, limit: exportBatch };
        const part = await readScoped(db, scope, (tx) => listPart(tx, scope, query, below));
        return part.rows.length < exportBatch ? { ...part, below: undefined } : part;
      });
    },

    async analysts(actor: Actor, client: number): Answer<'analysts'> {
      scopeFor(actor, client);
      const scope = scopeOf(actor);
      return readScoped(db, scope, (tx) => listAnalysts(tx, scope, client || undefined));
    },

    async decisionResultTypes(): Answer<'decisionResultTypes'> {
      return { results: decisionResultTypes.map((type) => ({ ...type })), total: decisionResultTypes.length };
    },

    /** For the toolbar, which polls it; an index holds the few unseen ones. */
    async answers(actor: Actor, client: number): Answer<'answers'> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, (tx) => listUnseenAnswers(tx, scope, actor.userId, clock.now()));
    },

    async underInvestigation(actor: Actor, client: number): Answer<'underInvestigation'> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, (tx) => listUnderInvestigation(tx, scope));
    },

    async times(actor: Actor, client: number, start: string, end: string): Answer<'times'> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, (tx) => listTimes(tx, scope, rangeOf(start, end), new Date(clock.now())));
    },
  };
}

const capital = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** Options without cases stay, so that the filter keeps its order. */
function filtersOf(found: Awaited<ReturnType<typeof countFacets>>): AnswerOf<typeof casesApi.filters> {
  const names = new Map(found.named.map(({ id, name }) => [id, name]));
  return {
    status: caseStatuses.map(({ value, label }) => ({ value, label, count: found.status.get(value) ?? 0 })),
    resolution: resolutionValues.map((value) => ({
      value,
      label: resolutionLabel(value),
      count: found.resolution.get(value) ?? 0,
    })),
    severity: severities.map((severity) => ({
      value: severity,
      label: capital(severity),
      count: [...found.criticality].find(([criticality]) => severityOf(criticality) === severity)?.[1] ?? 0,
    })),
    // Those of decisioning always; those that only a person concludes where there are any.
    verdict: judgedVerdicts
      .filter((verdict) => verdicts.some((each) => each === verdict) || found.verdict.has(verdict))
      .map((verdict) => ({ value: verdict, label: verdict, count: found.verdict.get(verdict) ?? 0 })),
    analyst: [...found.analysts]
      .map(([id, count]) => ({
        value: String(id ?? 0),
        label: id === null ? 'Unassigned' : (names.get(id) ?? `User ${id}`),
        count,
      }))
      .sort((a, b) => b.count - a.count)
      .slice(0, 500),
  };
}
