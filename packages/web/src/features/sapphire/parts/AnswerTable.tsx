/** Table of an answer with linked rows. Wide tables scroll horizontally. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { SapphireTable } from '@parapet/contract/sapphire.ts';
import { useState } from 'react';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { ownPath } from '../ownPath.ts';

const Scroll = styled('div')({
  maxHeight: 340,
  overflow: 'auto',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  fontSize: 12,
  lineHeight: '16px',
  '&:focus-visible': { outlineOffset: -2 },
  '& table': { width: '100%', borderCollapse: 'collapse' },
  '& th, & td': { padding: '6px 10px', textAlign: 'start', verticalAlign: 'top', borderTop: `1px solid ${palette.divider}` },
  // Columns fit their content up to a maximum width.
  '& td > span': { display: 'block', width: 'max-content', maxWidth: 220, overflowWrap: 'anywhere' },
  '& td.number > span': { marginInlineStart: 'auto' },
  '& thead th': {
    position: 'sticky',
    top: 0,
    zIndex: 1,
    borderTop: 0,
    boxShadow: `inset 0 -1px ${palette.divider}`,
    fontWeight: 600,
    whiteSpace: 'nowrap',
    color: palette.text.secondary,
    backgroundColor: palette.background.paper,
  },
  '& tbody tr:first-of-type td': { borderTop: 0 },
  '& .number': { textAlign: 'end', fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' },
  // The row’s link covers the whole row.
  '& tr[data-link]': { position: 'relative', '&:hover': { backgroundColor: palette.action.hover } },
  '& tr[data-link] a': { color: palette.primary.main, fontWeight: 600, textDecoration: 'none' },
  '& tr[data-link] a::after': { content: '""', position: 'absolute', inset: 0 },
  '& tr[data-link] a:focus-visible': { outline: 'none' },
  '& tr[data-link]:has(a:focus-visible)': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
});

const fewRows = 8;

interface Props extends SapphireTable {
  label: string;
  onGo?: () => void;
}

export function AnswerTable({ label, columns, rows, onGo }: Props) {
  const [isWhole, setWhole] = useState(false);
  const isNumber = columns.map((_, index) => rows.some(({ cells }) => typeof cells[index] === 'number'));
  const shown = isWhole ? rows : rows.slice(0, fewRows);
  return (
    <>
      <Scroll tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a heading is its column's.
                <th key={index} scope="col" className={isNumber[index] ? 'number' : undefined}>
                  <VisibleText text={column} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ cells, path }, at) => {
              const href = ownPath(path);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one answer never change.
                <tr key={at} data-link={href ? '' : undefined}>
                  {columns.map((_, index) => {
                    const text = cellText(cells[index]);
                    return (
                      // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column's.
                      <td key={index} className={isNumber[index] ? 'number' : undefined}>
                        <span>
                          {href && index === 0 ? (
                            <AppLink href={href} onClick={onGo}>
                              <VisibleText text={text || 'Open'} />
                            </AppLink>
                          ) : (
                            <VisibleText text={text} />
                          )}
                        </span>
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {rows.length > fewRows && !isWhole && (
        <Button size="small" onClick={() => setWhole(true)} sx={{ justifySelf: 'start', ml: -1.25 }}>
          Show all {rows.length} rows
        </Button>
      )}
    </>
  );
}

const cellText = (cell: string | number | null | undefined): string =>
  typeof cell === 'number' ? (Number.isInteger(cell) ? exact(cell) : String(cell)) : (cell ?? '');
