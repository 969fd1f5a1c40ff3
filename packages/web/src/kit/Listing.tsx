/** Table of a complete answer: searchable when long, rendered in pieces. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ReactNode, useState } from 'react';
import { counted, exact } from './numbers.ts';
import { Panel } from './Panel.tsx';
import { palette } from './palette.ts';
import { SearchField } from './SearchField.tsx';

const piece = 50;
const searchedFrom = 15;

const Inside = styled('div')({
  padding: '0 16px 12px',
  overflowX: 'auto',
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2, borderRadius: 8 },
  fontSize: 13,
  '& table': { width: '100%', borderCollapse: 'collapse' },
  '& th': { fontSize: 12, fontWeight: 600, textAlign: 'left', color: palette.text.secondary, whiteSpace: 'nowrap' },
  '& th, & td': { padding: '6px 12px 6px 0', borderBottom: `1px solid ${palette.divider}`, verticalAlign: 'top' },
  '& td': { overflowWrap: 'anywhere' },
  // Keeps the first column readable beside any number of columns.
  '&[tabindex] td:first-of-type:not(.number)': { minWidth: 96 },
  '& tr:last-of-type td': { borderBottom: 0 },
  '& .number': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& td a': { color: palette.primary.main, textDecoration: 'none' },
  '& td a:hover': { textDecoration: 'underline' },
  '& p': { margin: '4px 0 0', color: palette.text.secondary },
});

type Head = string | { title: string; isNumber: true };

interface Props {
  title: string;
  heads: readonly Head[];
  /** `text`: what a search looks into. */
  rows: readonly { key: string; text: string; cells: readonly ReactNode[] }[];
  /** In place of no rows. */
  empty: string;
  /** May exceed the available width: scrolls horizontally, also by keyboard. */
  isWide?: boolean;
}

export function Listing({ title, heads, rows, empty, isWide = false }: Props) {
  const [wanted, setWanted] = useState('');
  const [limit, setLimit] = useState(piece);
  const needle = wanted.trim().toLowerCase();
  const found = needle ? rows.filter(({ text }) => text.toLowerCase().includes(needle)) : rows;
  const classOf = (index: number) => (typeof heads[index] === 'object' ? 'number' : undefined);
  return (
    <Panel title={title} end={rows.length > 0 && <span>{exact(rows.length)}</span>}>
      <Inside {...(isWide && { tabIndex: 0, role: 'group', 'aria-label': `${title}, rows` })}>
        {rows.length > searchedFrom && (
          <div style={{ marginBottom: 8 }}>
            <SearchField value={wanted} onChange={setWanted} label={`Search ${title.toLowerCase()}`} width={260} />
          </div>
        )}
        {rows.length === 0 ? (
          <p>{empty}</p>
        ) : found.length === 0 ? (
          <p role="status">No matching rows.</p>
        ) : (
          <table aria-label={title}>
            <thead>
              <tr>
                {heads.map((head, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a head is its column's, and two may have the same name.
                  <th key={index} scope="col" className={classOf(index)}>
                    {typeof head === 'string' ? head : head.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.slice(0, limit).map(({ key, cells }) => (
                <tr key={key}>
                  {cells.map((cell, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column's.
                    <td key={index} className={classOf(index)}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {found.length > limit && (
          <Button size="small" onClick={() => setLimit(limit + 4 * piece)} sx={{ mt: 1 }}>
            Show more of {counted(found.length, 'row')}
          </Button>
        )}
      </Inside>
    </Panel>
  );
}
