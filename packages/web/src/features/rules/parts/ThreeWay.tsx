/** Three texts of a rule that was changed here and at its origin: the text before, the text here, and the new text of the origin. */
import { styled } from '@mui/material/styles';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { monoFamily } from '../../../kit/plain.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import type { Part } from '../threeWay.ts';

const Table = styled('table')({
  width: '100%',
  tableLayout: 'fixed',
  borderCollapse: 'collapse',
  fontFamily: monoFamily,
  fontVariantLigatures: 'none',
  fontSize: 12.5,
  lineHeight: '20px',
  '& th': { font: 'inherit', fontWeight: 600, textAlign: 'left', padding: '4px 8px' },
  '& td': { verticalAlign: 'top', padding: '4px 8px', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '& tr + tr': { borderTop: `1px solid ${palette.divider}` },
  '& [data-kind=conflict] td': { backgroundColor: `color-mix(in srgb, ${palette.error.main} 14%, transparent)` },
  '& [data-kind=own] td:nth-of-type(3), & [data-kind=theirs] td:nth-of-type(4), & [data-kind=both] td:nth-of-type(n + 3)': {
    backgroundColor: `color-mix(in srgb, ${palette.success.main} 16%, transparent)`,
  },
  '@container (max-width: 560px)': {
    '& thead': { display: 'none' },
    '& tr, & td': { display: 'block' },
    '& td[data-label]::before': { content: 'attr(data-label)', display: 'block', fontWeight: 600 },
  },
});

const kindLabel = (kind: Exclude<Part['kind'], 'same'>, origin: string): string =>
  ({
    own: 'Changed here',
    theirs: `Changed by the ${origin}`,
    both: 'Changed alike',
    conflict: 'Changed differently',
  })[kind];

interface Props {
  parts: readonly Part[];
  /** Origin of the new text, as in “changed by the upgrade”. */
  origin: string;
  columns: Record<'base' | 'own' | 'theirs', string>;
}

export function ThreeWay({ parts, origin, columns }: Props) {
  const conflicts = parts.filter(({ kind }) => kind === 'conflict').length;
  return (
    <>
      {conflicts > 0 && (
        <Note tone="warning">
          {counted(conflicts, 'place')} changed differently here and by the {origin}. Edit the text yourself.
        </Note>
      )}
      <div style={{ containerType: 'inline-size', minWidth: 0 }}>
        <Table aria-label="Differences between three texts">
          <thead>
            <tr>
              <th scope="col">Difference</th>
              {Object.entries(columns).map(([name, label]) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {parts.map(
              ({ kind, ...texts }, index) =>
                kind !== 'same' && (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
                  <tr key={index} data-kind={kind}>
                    <td style={{ fontFamily: 'inherit' }}>{kindLabel(kind, origin)}</td>
                    {(['base', 'own', 'theirs'] as const).map((name) => (
                      <td key={name} data-label={columns[name]}>
                        {texts[name].length === 0 ? '–' : <VisibleText text={texts[name].join('\n')} keepLines />}
                      </td>
                    ))}
                  </tr>
                ),
            )}
          </tbody>
        </Table>
      </div>
    </>
  );
}
