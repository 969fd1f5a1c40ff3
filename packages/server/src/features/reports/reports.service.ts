/** Monthly reports: one object per client and month, and the files rendered from it. Requires access to the dashboard. */
import type { Report } from '@parapet/contract/reports.ts';
import type { Clock } from '../../core/clock.ts';
import { csvType } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, outsideScope, scopeFor } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import { recordAudit } from '../../domain/audit.ts';
import { makePdf, type PdfBrand, pdfType } from '../../domain/pdf.ts';
import { buildReport } from './reports.build.ts';
import { gatherFacts, type Sources } from './reports.facts.ts';
import { fileName, reportCsv, reportPdf, reportXlsx, xlsxType } from './reports.files.ts';
import { type Month, monthRange, notStarted } from './reports.months.ts';
import { findClient } from './reports.store.ts';

export type ReportsService = ReturnType<typeof createReportsService>;

export interface ReportsDeps {
  db: Database;
  clock: Clock;
  sources: Sources;
  brandOf: (organisationId: number) => Promise<PdfBrand>;
}

/** Statement timeout; a report runs some thirty small statements. */
const statementTimeoutMs = 10_000;

export function createReportsService({ db, clock, sources, brandOf }: ReportsDeps) {
  /** Reads as the portal itself; all figures are of one moment. */
  const reportOf = (client: number, month: Month): Promise<Report> =>
    scoped(
      db,
      { organisationIds: [client] },
      async (tx) => {
        const found = await findClient(tx, { organisationIds: [client] }, client);
        if (!found) throw outsideScope(client);
        const now = clock.now();
        if (monthRange(month, found.timeZone).start > now) throw notStarted(month);
        return buildReport(await gatherFacts(tx, sources, found, month, now));
      },
      { readOnly: true, isolation: 'repeatable read', statementTimeoutMs },
    );

  const pdfOf = async (report: Report): Promise<Buffer> => makePdf(reportPdf(report, await brandOf(report.clientOrganizationID)));

  const get = async (actor: Actor, client: number, month: Month): Promise<Report> => {
    scopeFor(actor, client);
    return reportOf(client, month);
  };

  const formats = {
    pdf: { type: pdfType, bytes: pdfOf },
    csv: { type: csvType, bytes: async (report: Report) => reportCsv(report) },
    xlsx: { type: xlsxType, bytes: reportXlsx },
  };

  return {
    get,

    async file(actor: Actor, client: number, month: Month, format: keyof typeof formats): Promise<FileAnswer> {
      const report = await get(actor, client, month);
      const { type, bytes } = formats[format];
      const answer = { type, bytes: await bytes(report), downloadName: `${fileName(report)}.${format}` };
      await scoped(db, scopeFor(actor, client), (tx) =>
        recordAudit(tx, actor, {
          action: 'report.exported',
          organisationId: client,
          after: { year: month.year, month: month.month, format },
        }),
      );
      return answer;
    },

    /** For schedules and jobs, which check permissions themselves. */
    async makePdf(client: number, month: Month): Promise<{ report: Report; bytes: Buffer; name: string }> {
      const report = await reportOf(client, month);
      return { report, bytes: await pdfOf(report), name: `${fileName(report)}.pdf` };
    },
  };
}
