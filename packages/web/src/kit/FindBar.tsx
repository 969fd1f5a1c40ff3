/** Search within a displayed text: query, number of hits, previous and next. */
import IconButton from '@mui/material/IconButton';
import type { ReactNode } from 'react';
import { KeyboardArrowDownRounded } from './icons/KeyboardArrowDownRounded.tsx';
import { KeyboardArrowUpRounded } from './icons/KeyboardArrowUpRounded.tsx';
import { Bar, Find, Found } from './json.styles.ts';

interface Props {
  /** Names the text: "Rule". */
  label: string;
  placeholder: string;
  wanted: string;
  /** Begins with the first hit again. */
  onWanted: (wanted: string) => void;
  hits: number;
  /** Of the hits, from 0. */
  at: number;
  onAt: (at: number) => void;
  /** "2 of 7". */
  found: string;
  /** At the right. */
  children: ReactNode;
}

export function FindBar({ label, placeholder, wanted, onWanted, hits, at, onAt, found, children }: Props) {
  const step = (by: number) => hits > 0 && onAt((at + by + hits) % hits);
  return (
    <Bar>
      <Find
        type="search"
        value={wanted}
        placeholder={placeholder}
        aria-label={`Find in ${label}`}
        maxLength={200}
        onChange={(event) => {
          onWanted(event.target.value);
          onAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onWanted('');
        }}
      />
      {wanted.trim() !== '' && (
        <Found>
          <span role="status">{hits === 0 ? 'Nothing found' : found}</span>
          <IconButton size="small" aria-label="Previous match" disabled={hits < 2} onClick={() => step(-1)}>
            <KeyboardArrowUpRounded sx={{ fontSize: 16 }} />
          </IconButton>
          <IconButton size="small" aria-label="Find next" disabled={hits < 2} onClick={() => step(1)}>
            <KeyboardArrowDownRounded sx={{ fontSize: 16 }} />
          </IconButton>
        </Found>
      )}
      <span style={{ flex: 1 }} />
      {children}
    </Bar>
  );
}
