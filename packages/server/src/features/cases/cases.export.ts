/** Exports: the list as CSV, one case as JSON and as a PDF report. Long ones are read in batches while they are sent. */
import { Readable } from 'node:stream';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { investigationStatusName, resolutionLabel, statusLabel } from '@parapet/contract/rules/cases.ts';
import { judgementOf, judgementOfDetail, judgementText } from '@parapet/contract/rules/judgement.ts';
import { batchesOf, type Columns, csvOf, type ReadBelow } from '../../core/csv.ts';
import type { PdfBrand, PdfReport, PdfSection } from '../../domain/pdf.ts';
import { storyText } from '../../domain/story.ts';

const maxExported = 50_000;
/** Rows read at once. */
export const exportBatch = 1_000;

const columns: Columns<CaseRow> = [
  ['Number', (row) => row.incidentID],
  ['Title', (row) => row.title],
  ['Client', (row) => row.clientOrganizationName],
  ['Status', (row) => statusLabel(row.status)],
  ['Investigation', (row) => investigationStatusName(row.investigationStatus)],
  ['Resolution', (row) => row.resolution && resolutionLabel(row.resolution)],
  ['Client answer', (row) => row.clientAnswer?.answer ?? null],
  ['Criticality', (row) => row.criticality],
  ['Score', (row) => row.riskScore],
  ['Percentage', (row) => row.casePercentage],
  ['Verdict', (row) => judgementOf(row).verdict],
  // Beside the verdict of decisioning only.
  ['Confidence', (row) => judgementOf(row).confidence && row.confidenceScore],
  ['Analyst', (row) => row.analyst],
  ['Alerts', (row) => row.alertCount],
  ['New alerts', (row) => row.newAlerts],
  ['Devices', (row) => row.deviceNames.join(', ')],
  ['Users', (row) => row.userNames.join(', ')],
  ['Tactics', (row) => row.tactics.join(', ')],
  ['Opened', (row) => row.createdTime],
  ['Newest alert', (row) => row.lastAlertTime],
  ['Closed', (row) => row.closedTime],
];

export const casesCsv = <K>(read: ReadBelow<K, CaseRow>): Readable => csvOf(columns, read, maxExported);

/** The case detail with all alerts instead of the first page. */
export function caseJson<K>(
  { alerts: _first, ...detail }: CaseDetail,
  read: ReadBelow<K, CaseDetail['alerts'][number]>,
): Readable {
  async function* text() {
    yield `${JSON.stringify(detail).slice(0, -1)},"alerts":[`;
    let isFirst = true;
    for await (const rows of batchesOf(read)) {
      yield `${isFirst ? '' : ',\n'}${rows.map((row) => JSON.stringify(row)).join(',\n')}`;
      isFirst = false;
    }
    yield ']}\n';
  }
  return Readable.from(text());
}

const maxRows = { narratives: 5, notes: 20, timeline: 200, artifacts: 100, responses: 50, evidence: 30 };
const moment = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;
const cell = (text: string): string => (text.length > 400 ? `${text.slice(0, 399)}…` : text);
const left = (all: number, shown: number, what: string): string[] =>
  all > shown ? [`${all - shown} further ${what} are in the JSON file of this case.`] : [];

export function caseReport(detail: CaseDetail, brand: PdfBrand, now: number): PdfReport {
  const { caseGeneralInfo: info, autonomousResponseData: data, decisioning, analystCaseNotes, responses } = detail;
  const { clientOrganization } = detail.clientOrganizationDetails;
  // Artifacts have a table of their own.
  const timeline = data.caseArtifactsTimeline.filter(({ kind }) => kind !== 'artifact').slice(-maxRows.timeline);
  const narratives = detail.caseNarrative.filter(({ isGenerated }) => !isGenerated);
  const sections: PdfSection[] = [
    { title: judgementText(judgementOfDetail(detail)), texts: [storyText(detail.story.clauses, true)] },
    {
      title: 'Status',
      facts: [
        ['Status', statusLabel(info.status)],
        ['Investigation', investigationStatusName(info.investigationStatus)],
        ...(info.resolution ? [['Resolution', resolutionLabel(info.resolution)] as [string, string]] : []),
        ...(info.resolutionReason ? [['Reason', cell(info.resolutionReason)] as [string, string]] : []),
        ['Opened', moment(info.createdTime)],
        ['Closed', info.closedTime ? moment(info.closedTime) : '–'],
        ['Analyst', info.analyst ?? '–'],
        ['Alerts', String(info.alertCount)],
        ['Tactics', info.tactics.join(', ') || '–'],
      ],
    },
    ...(decisioning
      ? [
          {
            title: 'Evidence',
            texts: decisioning.evidence.slice(0, maxRows.evidence).map(({ text }) => text),
          },
        ]
      : []),
    ...(detail.guidance.length > 0
      ? [
          {
            title: 'What to check',
            texts: detail.guidance.map(({ rule, whyItMatters, checkFirst }) =>
              [`${rule}. ${whyItMatters}`, ...checkFirst.map((step, index) => `${index + 1}. ${step}`)].join('\n'),
            ),
          },
        ]
      : []),
    ...(narratives.length > 0
      ? [{ title: 'Narratives', texts: narratives.slice(0, maxRows.narratives).map(({ text }) => text) }]
      : []),
    ...(analystCaseNotes.length > 0
      ? [
          {
            title: 'Notes',
            texts: analystCaseNotes
              .slice(0, maxRows.notes)
              .map(({ author, createdTime, text }) => `${moment(createdTime)}, ${author}\n${text}`),
          },
        ]
      : []),
    {
      title: 'Timeline',
      table: {
        head: ['Time', 'Action', 'Actor'],
        widths: [95, '*', 90],
        rows: timeline.map(({ time, text, actor }) => [moment(time), cell(text), cell(actor)]),
      },
    },
    {
      title: 'Artifacts',
      table: {
        head: ['Kind', 'Value', 'Reputation', 'Seen'],
        widths: [80, '*', 70, 40],
        rows: data.caseArtifacts
          .slice(0, maxRows.artifacts)
          .map(({ kind, value, reputation, count }) => [kind, cell(value), reputation, String(count)]),
      },
      texts: left(data.caseArtifacts.length, maxRows.artifacts, 'artifacts'),
    },
    {
      title: 'Responses',
      table: {
        head: ['Time', 'Action', 'Target', 'State'],
        widths: [95, 70, '*', 80],
        rows: responses
          .slice(0, maxRows.responses)
          .map(({ requestedTime, action, target, state }) => [moment(requestedTime), action, cell(target), state]),
      },
    },
  ];
  return {
    brand,
    title: `Case ${info.incidentID}: ${cell(info.title)}`,
    subtitle: clientOrganization.name,
    madeAt: moment(new Date(now).toISOString()),
    sections: sections.filter(({ facts, texts, table }) => facts || (texts?.length ?? 0) + (table?.rows.length ?? 0) > 0),
  };
}
