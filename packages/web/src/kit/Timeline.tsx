/** Events in order: time, marker and text. */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { palette } from './palette.ts';
import { absoluteTime } from './time.ts';

export interface Moment {
  key: string;
  /** ISO 8601. */
  at: string;
  title: ReactNode;
  text?: ReactNode;
  icon?: ReactNode;
}

const List = styled('ol')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& li': { position: 'relative', padding: '0 0 16px 28px' },
  '& li:last-child': { paddingBottom: 0 },
  '& li::before': {
    content: '""',
    position: 'absolute',
    left: 7,
    top: 18,
    bottom: -2,
    width: 1,
    backgroundColor: palette.divider,
  },
  '& li:last-child::before': { display: 'none' },
  '& .dot': { position: 'absolute', left: 0, top: 3, width: 15, height: 15, display: 'grid', placeItems: 'center' },
  '& .dot:empty::after': { content: '""', width: 7, height: 7, borderRadius: '50%', backgroundColor: palette.text.secondary },
  '& time': { fontSize: 12, color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' },
  '& .title': { fontSize: 14, lineHeight: '20px', overflowWrap: 'anywhere' },
  '& .text': { fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
});

export function Timeline({ moments, timeZone }: { moments: readonly Moment[]; timeZone?: string | undefined }) {
  return (
    <List>
      {moments.map((moment) => (
        <li key={moment.key}>
          <span className="dot" aria-hidden>
            {moment.icon}
          </span>
          <div className="title">{moment.title}</div>
          {moment.text && <div className="text">{moment.text}</div>}
          <time dateTime={moment.at}>{absoluteTime(Date.parse(moment.at), timeZone)}</time>
        </li>
      ))}
    </List>
  );
}
