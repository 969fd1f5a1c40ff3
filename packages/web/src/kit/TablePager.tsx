/** Page size, position and page turning. With a lower bound as total ("10,000+") the last page is unknown. */
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import { ChevronLeftRounded } from './icons/ChevronLeftRounded.tsx';
import { ChevronRightRounded } from './icons/ChevronRightRounded.tsx';
import { exact } from './numbers.ts';
import { palette } from './palette.ts';
import type { TablePaging } from './table.ts';

export const pageSizes = [25, 50, 100] as const;

const Bar = styled('nav')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'flex-end',
  gap: 8,
  padding: '8px 0 0',
  fontSize: 12,
  color: palette.text.secondary,
  fontVariantNumeric: 'tabular-nums',
  '& select': {
    font: 'inherit',
    color: palette.text.primary,
    backgroundColor: 'transparent',
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
    height: 26,
    padding: '0 4px',
    marginLeft: 6,
  },
  '& option': { color: '#111', backgroundColor: '#fff' },
});

interface Props extends TablePaging {
  /** Rows on this page. */
  shown: number;
}

export function Pager({ page, pageSize, total, isAtLeast = false, shown, onChange }: Props) {
  const first = shown === 0 ? 0 : (page - 1) * pageSize + 1;
  const last = (page - 1) * pageSize + shown;
  const hasNext = isAtLeast ? shown === pageSize : last < total;
  return (
    <Bar aria-label="Pages">
      <label>
        Rows per page
        <select value={pageSize} onChange={(event) => onChange(1, Number(event.target.value))}>
          {[...new Set([...pageSizes, pageSize])]
            .sort((a, b) => a - b)
            .map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
        </select>
      </label>
      <span aria-live="polite">
        {exact(first)}–{exact(last)} of {exact(Math.max(total, last))}
        {isAtLeast && '+'}
      </span>
      <span style={{ display: 'inline-flex' }}>
        <IconButton size="small" aria-label="Previous page" disabled={page <= 1} onClick={() => onChange(page - 1, pageSize)}>
          <ChevronLeftRounded fontSize="small" />
        </IconButton>
        <IconButton size="small" aria-label="Next page" disabled={!hasNext} onClick={() => onChange(page + 1, pageSize)}>
          <ChevronRightRounded fontSize="small" />
        </IconButton>
      </span>
    </Bar>
  );
}
