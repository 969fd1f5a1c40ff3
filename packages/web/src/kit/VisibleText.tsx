/** Draws untrusted text with its hidden characters as marks, isolated so that right-to-left text cannot reorder its surroundings. */
import { styled } from '@mui/material/styles';
import { Fragment, memo, type ReactNode } from 'react';
import { palette } from './palette.ts';
import { hasHidden, segmentsOf } from './visible.ts';

const Mark = styled('span')({
  display: 'inline-block',
  padding: '0 3px',
  margin: '0 1px',
  borderRadius: 3,
  fontSize: '0.82em',
  lineHeight: 1.25,
  fontFamily: 'var(--font-mono, "JetBrains Mono", ui-monospace, monospace)',
  border: `1px solid ${palette.text.secondary}`,
  color: palette.text.primary,
});

const Hit = styled('mark')(({ theme }) => ({
  color: palette.text.primary,
  borderRadius: 2,
  padding: '1px 0',
  backgroundColor: 'rgba(255, 193, 7, 0.38)',
  ...theme.applyStyles('dark', { backgroundColor: 'rgba(255, 214, 102, 0.28)' }),
}));

/** Start and end (exclusive) in the text, in order and without overlap. */
export type Range = readonly [start: number, end: number];

interface Props {
  text: string;
  /** Line feeds and tabs stay line feeds and tabs. */
  keepLines?: boolean;
  /** Parts to highlight. */
  hits?: readonly Range[];
}

export const VisibleText = memo(function VisibleText({ text, keepLines = false, hits = [] }: Props): ReactNode {
  if (hits.length === 0) return hasHidden(text) ? <bdi>{pieces(text, keepLines)}</bdi> : <bdi>{text}</bdi>;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [start, end] of hits) {
    if (start < at || end <= start) continue;
    parts.push(<Fragment key={at}>{pieces(text.slice(at, start), keepLines)}</Fragment>);
    parts.push(<Hit key={`hit${start}`}>{pieces(text.slice(start, end), keepLines)}</Hit>);
    at = end;
  }
  parts.push(<Fragment key={`end${at}`}>{pieces(text.slice(at), keepLines)}</Fragment>);
  return <bdi>{parts}</bdi>;
});

function pieces(text: string, keepLines: boolean): ReactNode {
  if (!hasHidden(text)) return text;
  return segmentsOf(text, keepLines).map((segment, index) =>
    segment.mark ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one unchanging text have no other name.
      <Mark key={index} title={segment.mark}>
        {segment.text}
      </Mark>
    ) : (
      segment.text
    ),
  );
}
