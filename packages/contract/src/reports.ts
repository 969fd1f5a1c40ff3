/** Monthly reports: one object serves the screen, the PDF, the CSV, the workbook and the mail. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, paragraph, results } from './primitives.ts';

const figure = z.object({
  id: z.string().max(40).describe('Names the figure.'),
  name: line.describe('What it is.'),
  value: z.number().nullable().describe('This month; null where it was not measured.'),
  before: z.number().nullable().describe('The month before.'),
  unit: z.enum(['count', 'minutes', 'score', 'percent', 'days']).describe('Its unit.'),
  target: z.number().nullable().describe('The target, where there is one.'),
  isMet: z.boolean().nullable().describe('Whether the target was met.'),
});
/** A part of a report: words, figures and a table; each may be empty. */
const section = z.object({
  id: z.string().max(40).describe('Names the part.'),
  title: line.describe('Its heading.'),
  text: z.array(paragraph).max(30).describe('Paragraphs.'),
  figures: z.array(figure).max(30).describe('Its figures.'),
  columns: z.array(line).max(12).describe('Columns of its table; none without a table.'),
  rows: z
    .array(z.array(z.union([z.string().max(4_000), z.number(), z.null()])).max(12))
    .max(2_000)
    .describe('Rows of its table.'),
  chart: z
    .object({
      kind: z.enum(['bars', 'line']).describe('What it looks like.'),
      labels: z.array(line).max(400).describe('Along the axis.'),
      series: z
        .array(
          z.object({
            name: line.describe('What it is.'),
            values: z.array(z.number()).max(400).describe('One for each label.'),
          }),
        )
        .max(6)
        .describe('What is drawn.'),
      alternative: line.describe('The same in words.'),
    })
    .nullable()
    .describe('Its chart.'),
});
export const report = z.object({
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Its name.'),
  year: count.describe('The year.'),
  month: z.number().int().min(1).max(12).describe('The month.'),
  isComplete: z.boolean().describe('false while the month is still running.'),
  madeAt: instant.describe('When the figures were taken.'),
  timeZone: line.describe('Whose months these are.'),
  summary: z.array(paragraph).max(10).describe('The month in plain words.'),
  sections: z.array(section).max(20).describe('Its parts.'),
  recommendations: z
    .array(z.object({ text: paragraph.describe('What to do.'), why: paragraph.describe('The figures that ask for it.') }))
    .max(20)
    .describe('What to do next, and why.'),
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
  id: z.number().int().describe('Names the schedule.'),
  clientOrganizationID: organisationId.describe('The client.'),
  dayOfMonth: z.number().int().min(1).max(28).describe('On which day the report of the month before is sent.'),
  recipients: z.array(line).max(50).describe('Users and escalation addresses of the client.'),
  lastSentAt: instant.nullable().describe('When it was sent last.'),
  lastError: line.describe('Why the last try failed; empty after one that did not. It is tried again.'),
  createdBy: line.describe('Who made it.'),
});
export const reportJob = z.object({
  id: z.number().int().describe('Names the job.'),
  year: count.describe('The year.'),
  month: count.describe('The month.'),
  state: z.enum(['queued', 'running', 'done', 'failed']).describe('How far it is.'),
  total: count.describe('Reports to make.'),
  done: count.describe('Reports made.'),
  failures: z
    .array(z.object({ clientOrganizationName: name.describe('Whose report.'), text: line.describe('Why it could not be made.') }))
    .max(2_000)
    .describe('Which failed, and why.'),
  createdAt: instant.describe('When it was asked for.'),
});
export type ReportJob = z.infer<typeof reportJob>;

export const reportsApi = {
  get: endpoint({
    id: 'reports.get',
    method: 'GET',
    path: '/reporting/:client/:year/:month',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'The report of a client and month.',
    params: z.object(which),
    answer: report,
  }),
  pdf: endpoint({
    id: 'reports.pdf',
    method: 'GET',
    path: '/reporting/:client/:year/:month/pdf',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'The same as a PDF under the client’s brand.',
    params: z.object(which),
    answers: 'file',
    answer: nothing,
  }),
  csv: endpoint({
    id: 'reports.csv',
    method: 'GET',
    path: '/reporting/:client/:year/:month/csv',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Its figures and tables as CSV.',
    params: z.object(which),
    answers: 'file',
    answer: nothing,
  }),
  xlsx: endpoint({
    id: 'reports.xlsx',
    method: 'GET',
    path: '/reporting/:client/:year/:month/xlsx',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Its figures and tables as a workbook.',
    params: z.object(which),
    answers: 'file',
    answer: nothing,
  }),
  listSchedules: endpoint({
    id: 'reports.listSchedules',
    method: 'GET',
    path: '/reportschedules/:client',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'The schedules of a client.',
    params: z.object({ client: id.describe('The client.') }),
    answer: results(reportSchedule, 100),
  }),
  addSchedule: endpoint({
    id: 'reports.addSchedule',
    method: 'POST',
    path: '/reportschedules/:client',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Sends the report of the month before by mail on a day of each month.',
    params: z.object({ client: id.describe('The client.') }),
    body: z.object({
      dayOfMonth: z.number().int().min(1).max(28).describe('The day.'),
      recipients: z
        .array(z.string().trim().min(4).max(320))
        .min(1, 'Choose at least one recipient.')
        .max(50)
        .describe('Users or escalation addresses of the client.'),
    }),
    answer: reportSchedule,
  }),
  removeSchedule: endpoint({
    id: 'reports.removeSchedule',
    method: 'DELETE',
    path: '/reportschedules/:client/:schedule',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Ends a schedule.',
    params: z.object({ client: id.describe('The client.'), schedule: id.describe('The schedule.') }),
    answer: nothing,
  }),
  startJob: endpoint({
    id: 'reports.startJob',
    method: 'POST',
    path: '/reportjobs',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'Makes the reports of all clients in scope for a month, as PDFs.',
    body: z.object({
      clientOrganizationID: clientId.describe('0 for all in scope, or a partner for its clients.'),
      year: z.number().int().min(2000).max(9998).describe('The year.'),
      month: z.number().int().min(1).max(12).describe('The month.'),
    }),
    answer: reportJob,
  }),
  getJob: endpoint({
    id: 'reports.getJob',
    method: 'GET',
    path: '/reportjobs/:job',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'How far a job is.',
    params: z.object({ job: id.describe('The job.') }),
    answer: reportJob,
  }),
  jobFile: endpoint({
    id: 'reports.jobFile',
    method: 'GET',
    path: '/reportjobs/:job/file',
    allow: 'reports:schedule',
    freshness: 'none',
    summary: 'All PDFs of a job in one archive.',
    params: z.object({ job: id.describe('The job.') }),
    answers: 'file',
    answer: nothing,
  }),
};
