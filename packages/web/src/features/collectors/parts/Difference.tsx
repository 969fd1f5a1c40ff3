/** Unified difference of two texts: removed and added lines by sign and colour. */
import { styled } from '@mui/material/styles';
import { useMemo } from 'react';
import { palette } from '../../../kit/palette.ts';
import { monoFamily } from '../../../kit/plain.styles.ts';
import { Nothing } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { differenceOf } from '../difference.ts';

const Lines = styled('ol')({
  listStyle: 'none',
  margin: 0,
  padding: '6px 0',
  maxHeight: 420,
  overflow: 'auto',
  fontFamily: monoFamily,
  fontVariantLigatures: 'none',
  fontSize: 12.5,
  lineHeight: '20px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.default,
  '& li': { display: 'flex', minWidth: 'max-content' },
  '& .number': {
    flex: 'none',
    width: 44,
    paddingRight: 8,
    textAlign: 'right',
    userSelect: 'none',
    color: palette.text.secondary,
    fontVariantNumeric: 'tabular-nums',
  },
  '& .sign': { flex: 'none', width: 20, textAlign: 'center', fontWeight: 700 },
  '& code': { font: 'inherit', whiteSpace: 'pre', paddingRight: 16, tabSize: 2 },
  '& [data-kind=added]': { backgroundColor: `color-mix(in srgb, ${palette.success.main} 16%, transparent)` },
  '& [data-kind=removed]': { backgroundColor: `color-mix(in srgb, ${palette.error.main} 14%, transparent)` },
  '& [data-kind=gap]': { color: palette.text.secondary, paddingLeft: 96 },
});
const signs = { added: '+', removed: '−', same: ' ' } as const;
const spoken = { added: 'Added:', removed: 'Removed:', same: '' } as const;
const Unseen = styled('span')({ position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' });

export function Difference({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => differenceOf(before, after), [before, after]);
  if (!lines) return <Nothing>The versions differ almost completely.</Nothing>;
  if (lines.length === 0) return <Nothing>No differences.</Nothing>;
  return (
    <Lines aria-label={label} tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
        <li key={index} data-kind={line.kind}>
          {line.kind === 'gap' ? (
            '⋯'
          ) : (
            <>
              <span className="number" aria-hidden>
                {line.before ?? ''}
              </span>
              <span className="number" aria-hidden>
                {line.after ?? ''}
              </span>
              <span className="sign" aria-hidden>
                {signs[line.kind]}
              </span>
              <Unseen>{spoken[line.kind]}</Unseen>
              <code>
                <VisibleText text={line.text === '' ? ' ' : line.text} keepLines />
              </code>
            </>
          )}
        </li>
      ))}
    </Lines>
  );
}
