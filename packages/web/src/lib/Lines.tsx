/** Styles of short lists: severity, subject, place, and details at the end; each line is a link. */
import { styled } from '@mui/material/styles';
import type { Severity } from '@parapet/contract/primitives.ts';
import type { ReactNode } from 'react';
import { palette } from '../kit/palette.ts';
import { SeverityIcon, severityLabel } from '../kit/Severity.tsx';
import { VisibleText } from '../kit/VisibleText.tsx';
import { visibleText } from '../kit/visible.ts';
import { AppLink } from './AppLink.tsx';

export const Lines = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  '& li': { borderTop: `1px solid ${palette.divider}` },
  '& a': {
    display: 'grid',
    gridTemplateColumns: '16px minmax(0, 1fr) auto',
    gap: '0 10px',
    alignItems: 'center',
    padding: '7px 16px',
    color: 'inherit',
    textDecoration: 'none',
  },
  '& a:hover': { backgroundColor: palette.action.hover },
  '& a:focus-visible': { outlineOffset: -2 },
  '& .what, & .where': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .what': { fontSize: 14, lineHeight: '20px', fontWeight: 500 },
  '& .what[data-whole]': { gridColumn: '2 / -1' },
  '@media (max-width: 599.95px)': {
    '& .what': {
      display: '-webkit-box',
      WebkitLineClamp: 2,
      WebkitBoxOrient: 'vertical',
      whiteSpace: 'normal',
      overflowWrap: 'anywhere',
    },
  },
  '& .where': { gridColumn: 2, fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& .end': { fontSize: 12, color: palette.text.secondary, fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' },
  '& .count': {
    display: 'flex',
    gap: 10,
    whiteSpace: 'nowrap',
    justifySelf: 'end',
    fontSize: 12,
    lineHeight: '16px',
    color: palette.text.secondary,
    fontVariantNumeric: 'tabular-nums',
  },
});

interface Props {
  href: string;
  severity: Severity;
  what: string;
  /** The full text, on hover. */
  title?: string;
  /** The second line, separated by dots. */
  where: readonly (string | false | null)[];
  /** At the end of the first line, which is otherwise the subject’s. */
  end?: ReactNode;
  /** At the end of the second line. */
  under?: ReactNode;
}

export function Line({ href, severity, what, title = what, where, end, under }: Props) {
  return (
    <li>
      <AppLink href={href} title={visibleText(title)}>
        <span role="img" aria-label={severityLabel[severity]} title={severityLabel[severity]} style={{ display: 'flex' }}>
          <SeverityIcon severity={severity} />
        </span>
        <span className="what" data-whole={end === undefined || undefined}>
          <VisibleText text={what} />
        </span>
        {end !== undefined && <span className="end">{end}</span>}
        <span className="where">
          <VisibleText text={where.filter(Boolean).join(' · ')} />
        </span>
        {under && <span className="count">{under}</span>}
      </AppLink>
    </li>
  );
}
