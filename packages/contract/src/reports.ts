/** Monthly reports: one document for the page, the PDF, the CSV, the workbook and the email. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, paragraph, results } from './primitives.ts';
import { queryParam } from './query.ts';

const figure = z.object({
  id: z.string().max(40).describe('Figure ID.'),
  name: line.describe('Figure name.'),
  value: z.number().nullable().describe('Value of this month; null if not measured.'),
  before: z.number().nullable().describe('Value of the previous month.'),
  unit: z.enum(['count', 'minutes', 'score', 'percent', 'days']).describe('Unit.'),
  target: z.number().nullable().describe('Target; null without one.'),
  isMet: z.boolean().nullable().describe('True when the target was met.'),
});
/** Report section: text, figures and a table; each may be empty. */
const section = z.object({
  id: z.string().max(40).describe('Section ID.'),
  title: line.describe('Section heading.'),
  text: z.array(paragraph).max(30).describe('Paragraphs.'),
  figures: z.array(figure).max(30).describe('Figures.'),
  columns: z.array(line).max(12).describe('Table columns; empty without a table.'),
  rows: z
    .array(z.array(z.union([z.string().max(4_000), z.number(), z.null()])).max(12))
    .max(2_000)
    .describe('Table rows.'),
  chart: z
    .object({
      kind: z.enum(['bars', 'line']).describe('Chart type.'),
      labels: z.array(line).max(400).describe('Axis labels.'),
      series: z
        .array(
          z.object({
            name: line.describe('Series name.'),
            values: z.array(z.number()).max(400).describe('One value per label.'),
          }),
        )
        .max(6)
        .describe('Data series.'),
      alternative: line.describe('Text alternative of the chart.'),
    })
    .nullable()
    .describe('Chart.'),
});
export const report = z.object({
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Organisation name.'),
  year: count.describe('The year.'),
  month: z.number().int().min(1).max(12).describe('The month.'),
  isComplete: z.boolean().describe('false while the month is still running.'),
  madeAt: instant.describe('Time at which the figures were computed.'),
  timeZone: line.describe('Time zone of the month.'),
  summary: z.array(paragraph).max(10).describe('Summary in plain words.'),
  sections: z.array(section).max(20).describe('Sections.'),
  recommendations: z
    .array(
      z.object({
        text: paragraph.describe('Recommended action.'),
        why: paragraph.describe('Figures that support the recommendation.'),
      }),
    )
    .max(20)
    .describe('Recommended next steps, with reasons.'),
});
export type Report = z.infer<typeof report>;
export type ReportSection = z.infer<typeof section>;
export type ReportFigure = z.infer<typeof figure>;

const which = {
  client: id.describe('The client.'),
  year: z.coerce.number().int().min(2000).max(9998).describe('The year.'),
  month: z.coerce.number().int().min(1).max(12).describe('The month.'),
};

export const reportSchedule = z.object({
  id: z.number().int().describe('Schedule ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  dayOfMonth: z.number().int().min(1).max(28).describe('Day of the month on which the previous month’s report is sent.'),
  recipients: z.array(line).max(50).describe('Users and escalation addresses of the client.'),
  lastSentAt: instant.nullable().describe('Time of the last delivery.'),
  lastError: line.describe('Reason of the last failure; empty after a success. Failures are retried.'),
  createdBy: line.describe('Author.'),
});
export const reportJob = z.object({
  id: z.number().int().describe('Job ID.'),
  year: count.describe('The year.'),
  month: count.describe('The month.'),
  state: z.enum(['queued', 'running', 'done', 'failed']).describe('State.'),
  total: count.describe('Number of reports to generate.'),
  done: count.describe('Number of generated reports.'),
  failures: z
    .array(
      z.object({ clientOrganizationName: name.describe('Client of the report.'), text: line.describe('Reason of the failure.') }),
    )
    .max(2_000)
    .describe('Failed reports with reasons.'),
  createdAt: instant.describe('Time of the request.'),
});
export type ReportJob = z.infer<typeof reportJob>;

export const reportsApi = {
  get: endpoint({
    id: 'reports.get',
    route: 'GET /reporting/:client/:year/:month',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns the report of a client and month.',
    params: z.object(which),
    answer: report,
  }),
  pdf: endpoint({
    id: 'reports.pdf',
    route: 'GET /reporting/:client/:year/:month/pdf',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Exports the report as a PDF in the client’s brand.',
    params: z.object(which),
    answers: 'file',
    answer: nothing,
  }),
  csv: endpoint({
    id: 'reports.csv',
    route: 'GET /reporting/:client/:year/:month/csv',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Exports the figures and tables as CSV.',
    params: z.object(which),
    answers: 'file',
    answer: nothing,
  }),
  xlsx: endpoint({
    id: 'reports.xlsx',
    route: 'GET /reporting/:client/:year/:month/xlsx',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Exports the figures and tables as a workbook.',
    params: z.object(which),
    answers: 'file',
    answer: nothing,
  }),
  listSchedules: endpoint({
    id: 'reports.listSchedules',
    route: 'GET /reportschedules/:client',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Lists the report schedules of a client.',
    params: z.object({ client: id.describe('The client.') }),
    query: z.object({ query: queryParam('report') }),
    answer: results(reportSchedule, 100),
  }),
  addSchedule: endpoint({
    id: 'reports.addSchedule',
    route: 'POST /reportschedules/:client',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Schedules the previous month’s report by email on a day of each month.',
    params: z.object({ client: id.describe('The client.') }),
    body: z.object({
      dayOfMonth: z.number().int().min(1).max(28).describe('Day of the month.'),
      recipients: z
        .array(z.string().trim().min(4).max(320))
        .min(1, 'Select at least one recipient.')
        .max(50)
        .describe('Users or escalation addresses of the client.'),
    }),
    answer: reportSchedule,
  }),
  removeSchedule: endpoint({
    id: 'reports.removeSchedule',
    route: 'DELETE /reportschedules/:client/:schedule',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Deletes a schedule.',
    params: z.object({ client: id.describe('The client.'), schedule: id.describe('Schedule ID.') }),
    answer: nothing,
  }),
  startJob: endpoint({
    id: 'reports.startJob',
    route: 'POST /reportjobs',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Generates the PDF reports of all clients in scope for a month.',
    body: z.object({
      clientOrganizationID: clientId.describe('0 for all in scope, or a partner for its clients.'),
      year: z.number().int().min(2000).max(9998).describe('The year.'),
      month: z.number().int().min(1).max(12).describe('The month.'),
    }),
    answer: reportJob,
  }),
  getJob: endpoint({
    id: 'reports.getJob',
    route: 'GET /reportjobs/:job',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Returns the progress of a job.',
    params: z.object({ job: id.describe('Job ID.') }),
    answer: reportJob,
  }),
  jobFile: endpoint({
    id: 'reports.jobFile',
    route: 'GET /reportjobs/:job/file',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Downloads all PDFs of a job as one archive.',
    params: z.object({ job: id.describe('Job ID.') }),
    answers: 'file',
    answer: nothing,
  }),
};
