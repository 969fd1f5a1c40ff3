/** Placeholders in the shape of what comes. They breathe only where motion is welcome. */
import { keyframes, styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { Hidden } from './Announced.tsx';
import { palette } from './palette.ts';

const breathe = keyframes({ '50%': { opacity: 0.45 } });

const Block = styled('span')({
  display: 'inline-block',
  verticalAlign: 'middle',
  borderRadius: 4,
  backgroundColor: palette.action.hover,
  '@media (prefers-reduced-motion: no-preference)': { animation: `${breathe} 1.8s ease-in-out infinite` },
});

/** One bar. */
export function SkeletonBar({ width = '100%', height = 12 }: { width?: number | string; height?: number }) {
  return <Block aria-hidden data-bone style={{ width, height }} />;
}

const Lines = styled('div')({ display: 'flex', flexDirection: 'column' });
const LineOf = styled('div')({ display: 'flex', alignItems: 'center' });
const widths = ['92%', '78%', '85%', '64%', '88%', '71%'];

/** Lines of text. */
export function TextSkeleton({ lines = 4, lineHeight = 22 }: { lines?: number; lineHeight?: number }) {
  return (
    <Lines>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars without identity.
        <LineOf key={index} style={{ height: lineHeight }}>
          <SkeletonBar width={widths[index % widths.length] ?? '80%'} />
        </LineOf>
      ))}
      <Hidden>Loading…</Hidden>
    </Lines>
  );
}

/** Rows and their cells are plain elements: a styled one costs three times as much, and the first page has hundreds. */
const Rows = styled('div')({
  overflow: 'hidden',
  '& > .row': { display: 'flex', alignItems: 'center', borderBottom: `1px solid ${palette.divider}` },
  '& > .row > div': {
    padding: '0 10px',
    minWidth: 0,
    display: 'flex',
    alignItems: 'center',
    overflow: 'hidden',
    whiteSpace: 'nowrap',
  },
  '.density-compact & > .row > div': { padding: '0 8px' },
  '& > .row > div > *': { minWidth: 0 },
});

/** As the grid divides its room: `width` is the minimum of a flexible column. */
export const flexOf = ({ flex, width = 120 }: { flex?: number; width?: number }): string =>
  flex ? `${flex} ${flex} 0` : `0 0 ${width}px`;

/** Rows of a table that is not here yet, in its columns' widths. */
export function RowsSkeleton({
  columns,
  rows,
  rowHeight,
  indent = 0,
  cell,
}: {
  columns: readonly { id: string; width?: number; flex?: number; align?: 'right' }[];
  rows: number;
  /** Content of a cell in place of its bar. */
  cell?: (row: number, column: number) => ReactNode;
  rowHeight: number;
  /** px at the left that belong to no column. */
  indent?: number;
}) {
  return (
    <Rows>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars without identity.
        <div key={row} className="row" style={{ height: rowHeight, paddingLeft: indent }}>
          {columns.map((column, index) => (
            <div
              key={column.id}
              style={{
                flex: flexOf(column),
                minWidth: column.width ?? 120,
                justifyContent: column.align === 'right' ? 'flex-end' : 'flex-start',
              }}
            >
              {cell ? cell(row, index) : <SkeletonBar width={widths[(row + index * 2) % widths.length] ?? '70%'} height={10} />}
            </div>
          ))}
        </div>
      ))}
      <Hidden role="status">Loading…</Hidden>
    </Rows>
  );
}
