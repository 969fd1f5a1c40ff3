/** Files of a case that the portal itself passes on: its report or its signed archive, as the client may read them. */
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, neverProven } from '../../core/http/actor.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { makePdf } from '../../domain/pdf.ts';
import { asClient } from '../../domain/visibility.ts';
import { archiveOf, readEvidence } from './cases.archive.ts';
import { listMembers } from './cases.detail.store.ts';
import { getCase, readAlerts, readDetail } from './cases.detail.ts';
import { caseReport, exportBatch } from './cases.export.ts';
import type { ArchiveKey, BrandOf, CasePageSources, SourceOf } from './cases.ports.ts';

interface FilesDeps extends CasePageSources {
  db: Database;
  clock: Clock;
  brandOf: BrandOf;
  sourceOf: SourceOf;
  archiveKey: ArchiveKey;
}

/** Of the evidence before it is compressed: what a ticket takes is less than what a person saves. */
const maxEvidenceBytes = 8 * 1024 * 1024;

/** Reads with no right of its own. */
const reader = (organisationId: number): Actor => ({
  ...neverProven,
  userId: 0,
  sessionId: '',
  displayName: '',
  email: '',
  role: 'None',
  isPartner: false,
  organisationId,
  organisationIds: [organisationId],
  address: '',
});

/** Throws notFound for a case that the organisation does not have. */
export const createCaseFiles = (deps: FilesDeps) => {
  const { db, clock } = deps;
  return async (organisationId: number, id: number, kind: 'report' | 'archive'): Promise<Buffer> => {
    const as = asClient('system', organisationId);
    const { detail, ...found } = await scoped(db, as, async (tx) => {
      const record = await getCase(tx, as, id);
      const members = kind === 'archive' ? await listMembers(tx, as, id, { limit: exportBatch }) : [];
      const about = { organisationId, target: String(id), after: { contents: 'client' as const } };
      await recordAudit(tx, systemAuditor(organisationId), { action: 'case.exported', ...about });
      return {
        detail: await readDetail(tx, as, reader(organisationId), record, clock.now(), deps),
        alerts: await readAlerts(tx, as, members, deps.rowsOf),
        evidence: await readEvidence(tx, as, members, maxEvidenceBytes),
      };
    });
    const report = await makePdf(caseReport(detail, await deps.brandOf(organisationId), clock.now()));
    if (kind === 'report') return report;
    const { name } = await deps.sourceOf(organisationId);
    const about = { contents: 'client' as const, sender: name, exportedBy: '', at: clock.now() };
    const files = { evidence: found.evidence, audit: undefined, report };
    return archiveOf({ ...detail, alerts: found.alerts }, files, about, await deps.archiveKey());
  };
};
