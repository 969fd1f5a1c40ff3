/** One case with its alerts, and its exports. */
import type { Readable } from 'node:stream';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { CaseGraph } from '@parapet/contract/caseGraph.ts';
import type { casesApi } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { Tlp } from '@parapet/contract/rules/stix.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, mayAs, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { makePdf } from '../../domain/pdf.ts';
import { asClient, readerOf } from '../../domain/visibility.ts';
import { archiveOf, listAuditEntries, readEvidence } from './cases.archive.ts';
import { countMembers, listMembers, type Member } from './cases.detail.store.ts';
import { getCase, readAlerts, readDetail } from './cases.detail.ts';
import { caseJson, caseReport, exportBatch } from './cases.export.ts';
import { listGraphEvents, readPersons } from './cases.graph.store.ts';
import { buildGraph } from './cases.graph.ts';
import type { ArchiveKey, BrandOf, CasePageSources, SourceOf } from './cases.ports.ts';
import { stixBundle } from './cases.stix.ts';

interface PagesDeps extends CasePageSources {
  db: Database;
  clock: Clock;
  brandOf: BrandOf;
  sourceOf: SourceOf;
  archiveKey: ArchiveKey;
}

/** Reads a case as the caller, or as its client, and records it. */
type ReadCase = (
  actor: Actor,
  scope: Scope,
  id: number,
  how: { action: 'case.read' | 'case.exported'; forClient?: boolean },
) => Promise<CaseDetail>;

export function createCasePages(deps: PagesDeps) {
  const { db, clock } = deps;

  const read: ReadCase = (actor, scope, id, { action, forClient = false }) =>
    scoped(db, scope, async (tx) => {
      const found = await getCase(tx, scope, id);
      const as = forClient ? asClient(scope, found.organisation_id) : scope;
      const record = forClient ? await getCase(tx, as, id) : found;
      const detail = await readDetail(tx, as, actor, record, clock.now(), deps);
      // Reads of another organisation and every exported file are audited.
      const about = { organisationId: record.organisation_id, target: String(id) };
      const contents = readerOf(as).canSeeInternal ? 'all' : 'client';
      if (action === 'case.exported') await recordAudit(tx, actor, { action, ...about, after: { contents } });
      else if (record.organisation_id !== actor.organisationId) await recordAudit(tx, actor, { action, ...about });
      return detail;
    });

  return {
    detail: (actor: Actor, id: number, client: number): Promise<CaseDetail> =>
      read(actor, scopeFor(actor, client), id, { action: 'case.read' }),

    async alerts(
      actor: Actor,
      id: number,
      { page, pageSize }: z.output<typeof casesApi.alerts.query>,
    ): Promise<AnswerOf<typeof casesApi.alerts>> {
      const scope = scopeOf(actor);
      return readScoped(db, scope, async (tx) => {
        await getCase(tx, scope, id);
        const members = await listMembers(tx, scope, id, { limit: pageSize, offset: (page - 1) * pageSize });
        return {
          alertList: await readAlerts(tx, scope, members, deps.rowsOf),
          currentPage: page,
          pageSize,
          total: await countMembers(tx, scope, id),
        };
      });
    },

    async graph(actor: Actor, id: number): Promise<CaseGraph> {
      const scope = scopeOf(actor);
      const { events, persons } = await readScoped(db, scope, async (tx) => {
        await getCase(tx, scope, id);
        return { events: await listGraphEvents(tx, scope, id), persons: await readPersons(tx, scope, id) };
      });
      return buildGraph(events, persons);
    },

    async exportJson(actor: Actor, id: number): Promise<Readable> {
      const scope = scopeOf(actor);
      const detail = await read(actor, scope, id, { action: 'case.exported' });
      return caseJson(detail, (below: Member | undefined) =>
        readScoped(db, scope, async (tx) => {
          const members = await listMembers(tx, scope, id, { limit: exportBatch, below });
          const rows = await readAlerts(tx, scope, members, deps.rowsOf);
          return { rows, below: members.length < exportBatch ? undefined : members.at(-1) };
        }),
      );
    },

    /** The report is meant for the client: it contains only what the client may see. */
    async exportPdf(actor: Actor, id: number): Promise<Buffer> {
      const detail = await read(actor, scopeOf(actor), id, { action: 'case.exported', forClient: true });
      const brand = await deps.brandOf(detail.caseGeneralInfo.clientOrganizationID);
      return makePdf(caseReport(detail, brand, clock.now()));
    },

    /** The bundle may be shared: it contains only what the client may see. Techniques are those of the newest alerts, up to 1,000. */
    async exportStix(actor: Actor, id: number, tlp: Tlp): Promise<Buffer> {
      const scope = scopeOf(actor);
      const detail = await read(actor, scope, id, { action: 'case.exported', forClient: true });
      const organisationId = detail.caseGeneralInfo.clientOrganizationID;
      const alerts = await readScoped(db, scope, async (tx) => {
        const as = asClient(scope, organisationId);
        return readAlerts(tx, as, await listMembers(tx, as, id, { limit: exportBatch }), deps.rowsOf);
      });
      const { name, origin } = await deps.sourceOf(organisationId);
      return Buffer.from(`${JSON.stringify(stixBundle({ ...detail, alerts }, { name, origin }, tlp, clock.now()), null, 2)}\n`);
    },
    exportArchive: createArchiveExport(deps, read),
  };
}

/** Files of the case with a signed manifest. The report is always the client's. */
function createArchiveExport(deps: PagesDeps, read: ReadCase) {
  const { db, clock } = deps;
  /** The case as its client reads it; not another export. */
  const clientView = (actor: Actor, scope: Scope, id: number): Promise<CaseDetail> =>
    readScoped(db, scope, async (tx) => {
      const as = asClient(scope, (await getCase(tx, scope, id)).organisation_id);
      return readDetail(tx, as, actor, await getCase(tx, as, id), clock.now(), deps);
    });

  return async (actor: Actor, id: number, wanted: 'client' | 'all'): Promise<Buffer> => {
    const scope = scopeOf(actor);
    const contents = readerOf(scope).canSeeInternal ? wanted : 'client';
    const forClient = contents === 'client';
    const detail = await read(actor, scope, id, { action: 'case.exported', forClient });
    const organisationId = detail.caseGeneralInfo.clientOrganizationID;
    const as = forClient ? asClient(scope, organisationId) : scope;
    const found = await readScoped(db, scope, async (tx) => {
      const members = await listMembers(tx, as, id, { limit: exportBatch });
      return {
        alerts: await readAlerts(tx, as, members, deps.rowsOf),
        evidence: await readEvidence(tx, as, members),
        audit: mayAs(actor, 'audit:read') ? await listAuditEntries(tx, as, organisationId, id) : undefined,
      };
    });
    const report = await makePdf(
      caseReport(forClient ? detail : await clientView(actor, scope, id), await deps.brandOf(organisationId), clock.now()),
    );
    const { name } = await deps.sourceOf(organisationId);
    const about = { contents, sender: name, exportedBy: actor.displayName, at: clock.now() };
    return archiveOf({ ...detail, alerts: found.alerts }, { ...found, report }, about, await deps.archiveKey());
  };
}
