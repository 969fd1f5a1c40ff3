/** Cases as people read and change them (spec §3, §4, §7.4). A case outside the scope is the same 404 as a missing one. */
import type { Readable } from 'node:stream';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { casesApi } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { caseStatuses, decisionResultTypes, verdicts } from '@parapet/contract/rules/cases.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { z } from 'zod';
import type { Bus } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import { recordAudit } from '../../domain/audit.ts';
import { makePdf } from '../../domain/pdf.ts';
import { asClient } from '../../domain/visibility.ts';
import { listAnalysts } from './cases.analysts.ts';
import { lockCase } from './cases.changes.ts';
import { countMembers, listMembers, type Member } from './cases.detail.store.ts';
import { getCase, readAlerts, readDetail } from './cases.detail.ts';
import { caseJson, caseReport, casesCsv } from './cases.export.ts';
import { countFacets, countLimit, listCases, listPart } from './cases.list.ts';
import { createLiveCases } from './cases.live.ts';
import type { BrandOf, CasePageSources, CaseRecord, MoveAlert, OnSlaNotified } from './cases.ports.ts';
import { getCaseRow } from './cases.rows.ts';
import { listTimes, listUnderInvestigation } from './cases.times.ts';
import type { TransitionDeps, Transitions } from './cases.transitions.ts';
import { createWatch } from './cases.watch.ts';
import { addAlert, saveNarrative, saveNote } from './cases.writing.ts';

type BodyOf<K extends keyof typeof casesApi> = z.output<(typeof casesApi)[K]['body']>;
type QueryOf<K extends keyof typeof casesApi> = z.output<(typeof casesApi)[K]['query']>;
type Answer<K extends keyof typeof casesApi> = AnswerOf<(typeof casesApi)[K]>;

const exportBatch = 1_000;
const reading = { readOnly: true };

export interface CasesDeps extends CasePageSources, TransitionDeps {
  db: Database;
  bus: Pick<Bus, 'on'>;
  transitions: Transitions;
  told: OnSlaNotified;
  moveAlertManually: MoveAlert;
  brandOf: BrandOf;
}

export type CasesService = ReturnType<typeof createCasesService>;

export function createCasesService(parts: CasesDeps) {
  const { db, bus, clock, transitions } = parts;
  const live = createLiveCases({ bus });
  const { watchClocks } = createWatch(parts);
  const caseRow = (tx: Tx, scope: Scope, { id }: Pick<CaseRecord, 'id'>): Promise<CaseRow> =>
    getCaseRow(tx, scope, id, clock.now());

  /** Changes one case in the actor's scope; the transaction has the system scope, which its notices need. */
  const change = (
    actor: Actor,
    id: number,
    version: number | undefined,
    work: (tx: Tx, record: CaseRecord) => Promise<CaseRecord>,
  ): Promise<{ case: CaseRow }> => {
    const scope = scopeOf(actor);
    return scoped(db, 'system', async (tx) => ({
      case: await caseRow(tx, scope, await work(tx, await lockCase(tx, scope, id, version))),
    }));
  };

  const read = async (
    actor: Actor,
    scope: Scope,
    id: number,
    { action, forClient = false }: { action: 'case.read' | 'case.exported'; forClient?: boolean },
  ): Promise<CaseDetail> =>
    scoped(db, scope, async (tx) => {
      const found = await getCase(tx, scope, id);
      const as = forClient ? asClient(scope, found.organisation_id) : scope;
      const record = forClient ? await getCase(tx, as, id) : found;
      const detail = await readDetail(tx, as, actor, record, clock.now(), parts);
      // Reads of another organisation and every exported file are audited.
      if (action !== 'case.read' || record.organisation_id !== actor.organisationId)
        await recordAudit(tx, actor, { action, organisationId: record.organisation_id, target: String(id) });
      return detail;
    });

  return {
    ...transitions,
    caseRow,
    watchClocks,

    async list(actor: Actor, body: BodyOf<'list'>): Promise<Answer<'list'>> {
      const scope = scopeFor(actor, body.selectedClientOrganizationID);
      const { filters, sort, order, pageSize: limit } = body;
      const range = { start: Date.parse(body.start), end: Date.parse(body.end) };
      if (range.start >= range.end) throw problem.invalid({ end: ['The end must be after the start.'] });
      const offset = (body.page - 1) * limit;
      if (offset + limit > countLimit) {
        throw problem.invalid({
          page: [`The first ${countLimit} cases can be paged through; narrow the timeframe or the filters.`],
        });
      }
      const ask = { filters, range, sort, order, offset, limit, now: clock.now() };
      return scoped(db, scope, (tx) => listCases(tx, scope, ask), reading);
    },

    async filters(actor: Actor, client: number, start: string, end: string): Promise<Answer<'filters'>> {
      const scope = scopeFor(actor, client);
      const range = { start: Date.parse(start), end: Date.parse(end) };
      const found = await scoped(db, scope, (tx) => countFacets(tx, scope, range), reading);
      const names = new Map(found.named.map(({ id, name }) => [id, name]));
      const capital = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;
      // Options without cases stay, so that the filter keeps its order.
      return {
        status: caseStatuses.map(({ value, label }) => ({ value, label, count: found.status.get(value) ?? 0 })),
        severity: severities.map((severity) => ({
          value: severity,
          label: capital(severity),
          count: [...found.criticality].find(([criticality]) => severityOf(criticality) === severity)?.[1] ?? 0,
        })),
        verdict: verdicts.map((verdict) => ({ value: verdict, label: verdict, count: found.verdict.get(verdict) ?? 0 })),
        analyst: [...found.analysts]
          .map(([id, count]) => ({
            value: String(id ?? 0),
            label: id === null ? 'Unassigned' : (names.get(id) ?? `User ${id}`),
            count,
          }))
          .sort((a, b) => b.count - a.count)
          .slice(0, 500),
      };
    },

    async exportList(actor: Actor, client: number, start: string, end: string, query: QueryOf<'exportList'>): Promise<Readable> {
      const scope = scopeFor(actor, client);
      const range = { start: Date.parse(start), end: Date.parse(end) };
      const filters = { ...query, analyst: [] };
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'cases.exported',
          organisationId: client || actor.organisationId,
          after: { client, start, end, ...query },
        }),
      );
      return casesCsv(async (below: { position: string; id: number } | undefined) => {
        const ask = { filters, range, now: clock.now(), limit: exportBatch };
        const part = await scoped(db, scope, (tx) => listPart(tx, scope, ask, below), reading);
        return part.rows.length < exportBatch ? { ...part, below: undefined } : part;
      });
    },

    async analysts(actor: Actor, client: number): Promise<Answer<'analysts'>> {
      scopeFor(actor, client);
      const scope = scopeOf(actor);
      return scoped(db, scope, (tx) => listAnalysts(tx, scope, client || undefined), reading);
    },

    async decisionResultTypes(): Promise<Answer<'decisionResultTypes'>> {
      return { results: decisionResultTypes.map((type) => ({ ...type })), total: decisionResultTypes.length };
    },

    async underInvestigation(actor: Actor, client: number): Promise<Answer<'underInvestigation'>> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, (tx) => listUnderInvestigation(tx, scope), reading);
    },

    async times(actor: Actor, client: number, start: string, end: string): Promise<Answer<'times'>> {
      const scope = scopeFor(actor, client);
      const range = { start: Date.parse(start), end: Date.parse(end) };
      return scoped(db, scope, (tx) => listTimes(tx, scope, range, new Date(clock.now())), reading);
    },

    detail: (actor: Actor, id: number, client: number): Promise<CaseDetail> =>
      read(actor, scopeFor(actor, client), id, { action: 'case.read' }),

    async alerts(actor: Actor, id: number, { page, pageSize }: QueryOf<'alerts'>): Promise<Answer<'alerts'>> {
      const scope = scopeOf(actor);
      return scoped(
        db,
        scope,
        async (tx) => {
          await getCase(tx, scope, id);
          const members = await listMembers(tx, scope, id, { limit: pageSize, offset: (page - 1) * pageSize });
          return {
            alertList: await readAlerts(tx, scope, members, parts.rowsOf),
            currentPage: page,
            pageSize,
            total: await countMembers(tx, scope, id),
          };
        },
        reading,
      );
    },

    async exportJson(actor: Actor, id: number): Promise<Readable> {
      const scope = scopeOf(actor);
      const detail = await read(actor, scope, id, { action: 'case.exported' });
      return caseJson(detail, (below: Member | undefined) =>
        scoped(
          db,
          scope,
          async (tx) => {
            const members = await listMembers(tx, scope, id, { limit: exportBatch, below });
            const rows = await readAlerts(tx, scope, members, parts.rowsOf);
            return { rows, below: members.length < exportBatch ? undefined : members.at(-1) };
          },
          reading,
        ),
      );
    },

    /** The report is meant for the client: it contains only what the client may see. */
    async exportPdf(actor: Actor, id: number): Promise<Buffer> {
      const detail = await read(actor, scopeOf(actor), id, { action: 'case.exported', forClient: true });
      const brand = await parts.brandOf(detail.caseGeneralInfo.clientOrganizationID);
      return makePdf(caseReport(detail, brand, clock.now()));
    },

    async follow(
      actor: Actor,
      client: number,
      stream: { open: () => EventSink; stillAllowed: () => Promise<boolean> },
    ): Promise<void> {
      const scope = scopeFor(actor, client);
      if (scope === 'system') throw new Error('A person follows organisations, never the whole system.');
      live.follow({ actor, scope, ...stream });
    },

    async saveNarrative(actor: Actor, client: number, { caseID, ...input }: BodyOf<'saveNarrative'>) {
      const scope = scopeFor(actor, client);
      // The actor's whole scope: the author belongs to another organisation than the client.
      return scoped(db, scopeOf(actor), async (tx) => saveNarrative(tx, clock, actor, await lockCase(tx, scope, caseID), input));
    },

    async saveNote(actor: Actor, { caseID, ...input }: BodyOf<'saveNote'>) {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => saveNote(tx, clock, actor, await lockCase(tx, scope, caseID), input));
    },

    async addAlert(actor: Actor, { caseID, alertID }: BodyOf<'addAlert'>): Promise<{ case: CaseRow }> {
      const scope = scopeOf(actor);
      return scoped(db, scope, async (tx) => {
        const record = await addAlert(tx, clock, actor, scope, { caseId: caseID, alertId: alertID }, parts.moveAlertManually);
        return { case: await caseRow(tx, scope, record) };
      });
    },

    changeAnalyst: (actor: Actor, { caseID, analystUserAccountID, version }: BodyOf<'changeAnalyst'>) =>
      change(actor, caseID, version, (tx, record) => transitions.applyAnalyst(tx, actor, record, analystUserAccountID)),

    changeInvestigationStatus: (
      actor: Actor,
      { caseID, investigationStatus, waitHours, version }: BodyOf<'changeInvestigationStatus'>,
    ) =>
      change(actor, caseID, version, (tx, record) =>
        transitions.applyInvestigation(tx, actor, record, investigationStatus, waitHours),
      ),

    changeStatus: (actor: Actor, { incidentID, caseStatus, version }: BodyOf<'changeStatus'>) =>
      change(actor, incidentID, version, (tx, record) => transitions.applyStatus(tx, actor, record, caseStatus)),

    closeStreams: () => live.closeStreams(),
    close: () => live.close(),
  };
}
