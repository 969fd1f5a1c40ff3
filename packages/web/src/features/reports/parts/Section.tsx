/** Section of a report: text, key figures, chart and table. */
import { styled } from '@mui/material/styles';
import type { ReportSection } from '@parapet/contract/reports.ts';
import type { ReportingMonth } from '@parapet/contract/rules/timeframe.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { cellHref, type ReportPlace } from '../reports.links.ts';
import { isNumberColumn, tableTitle } from '../reportText.ts';
import { Figures } from './Figures.tsx';
import { SectionChart } from './SectionChart.tsx';

const Part = styled('section')({
  display: 'grid',
  gap: 12,
  gridTemplateColumns: 'minmax(0, 1fr)',
  scrollMarginTop: 72,
  '& > h2': { margin: 0, fontSize: 20, lineHeight: '28px', fontWeight: 600, overflowWrap: 'anywhere' },
  '& > .words': { maxWidth: 820, fontSize: 14, lineHeight: '22px', overflowWrap: 'anywhere' },
  '& > .words p': { margin: '0 0 6px' },
  '& > .words p:last-child': { margin: 0 },
  '& h2 + .words': { color: palette.text.primary },
});

/** Longest cell text, in characters, that never wraps. */
const shortText = 20;
const longText = { display: 'inline-block', minWidth: 'min(180px, 50vw)' } as const;

export function Section({ section, place, month }: { section: ReportSection; place: ReportPlace; month: ReportingMonth }) {
  const { id, title, text, figures, columns, rows, chart } = section;
  const cellOf = (column: string, cell: string | number | null, row: ReportSection['rows'][number]) => {
    const shown =
      cell === null ? (
        '–'
      ) : typeof cell === 'number' ? (
        exact(cell)
      ) : (
        <span style={cell.length <= shortText ? { whiteSpace: 'nowrap' } : longText}>
          <VisibleText text={cell} />
        </span>
      );
    const href = cell === null || cell === 0 ? undefined : cellHref({ section: id, column, row, ...place });
    return href ? <AppLink href={href}>{shown}</AppLink> : shown;
  };
  return (
    <Part id={`report-${id}`}>
      <h2>{title}</h2>
      {text.length > 0 && (
        <div className="words">
          {text.map((paragraph, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of one unchanging text.
            <p key={at}>
              <VisibleText text={paragraph} keepLines />
            </p>
          ))}
        </div>
      )}
      {figures.length > 0 && <Figures figures={figures} place={place} />}
      {chart && <SectionChart id={id} title={title} chart={chart} month={month} client={place.client} />}
      {columns.length > 0 && (
        <Listing
          title={tableTitle(title, columns)}
          isWide
          heads={columns.map((name, index) => (isNumberColumn(rows, index) ? { title: name, isNumber: true } : name))}
          rows={rows.map((row, at) => ({
            key: String(at),
            text: row.join(' '),
            cells: columns.map((name, index) => cellOf(name, row[index] ?? null, row)),
          }))}
          empty="No entries this month."
        />
      )}
    </Part>
  );
}
