/** Renders a report as CSV and workbook and prepares it for the PDF, with the same figures and texts. */
import type { Report, ReportFigure } from '@parapet/contract/reports.ts';
import { exact } from '@parapet/contract/rules/numbers.ts';
import type { Row, Sheet } from 'write-excel-file/node';
import { type Cell, csvLine, csvStart } from '../../core/csv.ts';
import type { PdfBrand, PdfReport, PdfSection } from '../../domain/pdf.ts';
import { monthName } from './reports.months.ts';
import { shownValue } from './reports.words.ts';

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const titleOf = (report: Report): string => `Security report, ${monthName(report)}`;
const createdAt = (report: Report): string => `${report.madeAt.slice(0, 16).replace('T', ' ')} UTC`;
const isMet = ({ isMet }: ReportFigure): string => (isMet === null ? '' : isMet ? 'met' : 'missed');
const units: Record<ReportFigure['unit'], string> = {
  count: '',
  minutes: 'minutes',
  score: 'points',
  percent: '%',
  days: 'days',
};

/** File name without extension, e.g. report-Alder_Clinic-2026-11; safe for file systems and headers. */
export const fileName = ({ clientOrganizationName, year, month }: Report): string =>
  `report-${clientOrganizationName.replace(/[^\p{L}\p{N}]+/gu, '_').slice(0, 60)}-${year}-${String(month).padStart(2, '0')}`;

const figureHead = ['Part', 'Figure', 'Value', 'Unit', 'Month before', 'Target', 'Met'];
const figureRow = (part: string, figure: ReportFigure): Cell[] => [
  part,
  figure.name,
  figure.value,
  units[figure.unit],
  figure.before,
  figure.target,
  isMet(figure),
];

export function reportCsv(report: Report): string {
  const lines: string[] = [
    csvStart([
      titleOf(report),
      report.clientOrganizationName,
      report.timeZone,
      report.isComplete ? 'complete' : 'so far',
      createdAt(report),
    ]),
    csvLine([]),
    csvLine(figureHead),
    ...report.sections.flatMap(({ title, figures }) => figures.map((figure) => csvLine(figureRow(title, figure)))),
  ];
  for (const { title, columns, rows } of report.sections) {
    if (rows.length === 0) continue;
    lines.push(csvLine([]), csvLine([title]), csvLine(columns), ...rows.map((row) => csvLine(row)));
  }
  lines.push(csvLine([]), csvLine(['In short']), ...report.summary.map((text) => csvLine([text])));
  lines.push(
    csvLine([]),
    csvLine(['Recommendation', 'Why']),
    ...report.recommendations.map(({ text, why }) => csvLine([text, why])),
  );
  return lines.join('');
}

/** Maximum characters in a workbook cell. */
const longestCell = 32_767;
/** Characters not allowed in XML 1.0. */
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Types texts as strings, so leading `=`, `+` or `@` never becomes a formula. */
const cellOf = (cell: Cell, style: object = {}): Row[number] =>
  cell === null
    ? null
    : typeof cell === 'number'
      ? { value: cell, type: Number, ...style }
      : { value: cell.toWellFormed().replace(notXml, ' ').slice(0, longestCell), type: String, ...style };
const head = (names: readonly string[]): Row =>
  names.map((name) => cellOf(name, { fontWeight: 'bold', backgroundColor: '#eef1f5' }));
const widths = (...all: number[]) => all.map((width) => ({ width }));

export async function reportXlsx(report: Report): Promise<Buffer> {
  const wrapped = { wrap: true, alignVertical: 'top' };
  const summary: Row[] = [
    [cellOf(titleOf(report), { fontWeight: 'bold', fontSize: 16 })],
    [cellOf(report.clientOrganizationName, { fontSize: 13 })],
    [
      cellOf(
        `${report.isComplete ? 'Complete month' : 'So far'}; time zone ${report.timeZone}; created at ${createdAt(report)}.`,
      ),
    ],
    [],
    ...report.summary.map((text) => [cellOf(text, wrapped)]),
    [],
    head(['Recommendation', 'Why']),
    ...report.recommendations.map(({ text, why }) => [cellOf(text, wrapped), cellOf(why, wrapped)]),
  ];
  const figures: Row[] = [
    head(figureHead),
    ...report.sections.flatMap(({ title, figures }) =>
      figures.map((figure) => figureRow(title, figure).map((cell) => cellOf(cell))),
    ),
  ];
  const sheets: Sheet<never>[] = [
    { sheet: 'Summary', data: summary, columns: widths(90, 70) },
    { sheet: 'Figures', data: figures, columns: widths(26, 32, 14, 10, 14, 14, 10), stickyRowsCount: 1 },
    ...report.sections
      .filter(({ rows }) => rows.length > 0)
      .map(({ title, columns, rows }) => ({
        sheet: sheetName(title),
        data: [head(columns), ...rows.map((row) => row.map((cell) => cellOf(cell)))],
        columns: columns.map((_, index) => ({ width: index === 0 ? 30 : index === 1 && columns.length === 8 ? 60 : 16 })),
        stickyRowsCount: 1,
      })),
  ];
  const { default: writeXlsxFile } = await import('write-excel-file/node');
  return writeXlsxFile(sheets).toBuffer();
}

/** Sheet names: at most 31 characters, without the reserved ones. */
const sheetName = (title: string): string =>
  title
    .replace(/[[\]:*?/\\']/g, ' ')
    .slice(0, 31)
    .trim();

/** Joins date and time with a no-break space. */
const moment = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d)$/;
const shownCell = (cell: Cell): string =>
  cell === null ? '–' : typeof cell === 'number' ? exact(cell) : cell.replace(moment, '$1\u00a0$2');

export function reportPdf(report: Report, brand: PdfBrand): PdfReport {
  const numeric = (rows: Report['sections'][number]['rows'], column: number) =>
    rows.every((row) => typeof row[column] === 'number' || row[column] === null);
  const sections = report.sections.map(
    ({ title, text, figures, columns, rows, chart }): PdfSection => ({
      title,
      texts: text,
      figures: figures.map((figure) => ({
        name: figure.name,
        value: shownValue(figure.value, figure.unit),
        note: [
          ...(figure.before === null ? [] : [`${shownValue(figure.before, figure.unit)} the month before`]),
          ...(figure.target === null
            ? []
            : [`target ${shownValue(figure.target, figure.unit)}${figure.isMet === null ? '' : `, ${isMet(figure)}`}`]),
        ].join('\n'),
        tone: figure.isMet === null ? 'plain' : figure.isMet ? 'good' : 'bad',
      })),
      ...(chart && { chart }),
      ...(rows.length > 0 && {
        table: {
          head: columns,
          rows: rows.map((row) => row.map(shownCell)),
          numbers: columns.map((_, index) => index > 0 && numeric(rows, index)),
        },
      }),
    }),
  );
  return {
    brand,
    title: titleOf(report),
    subtitle: `${report.clientOrganizationName} · ${report.isComplete ? 'complete month' : 'month so far'} · times in ${report.timeZone}`,
    madeAt: createdAt(report),
    sections: [
      { title: 'In short', texts: report.summary },
      ...(report.recommendations.length > 0
        ? [{ title: 'Recommendations', list: report.recommendations.map(({ text, why }) => ({ text, note: why })) }]
        : []),
      ...sections,
    ],
  };
}
