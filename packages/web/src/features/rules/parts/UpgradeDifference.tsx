/** Edited rule after an upgrade of the product: the built-in text before, the edit and the built-in text of now, with a merged draft. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { RuleDetail } from '@parapet/contract/detectionRules.ts';
import { useMemo, useState } from 'react';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { monoFamily } from '../../../kit/plain.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { mergedText, type Part, threeWay } from '../threeWay.ts';
import { SaveDraft } from './RuleText.tsx';

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
  '& [data-kind=own] td:nth-of-type(3), & [data-kind=builtIn] td:nth-of-type(4), & [data-kind=both] td:nth-of-type(n + 3)': {
    backgroundColor: `color-mix(in srgb, ${palette.success.main} 16%, transparent)`,
  },
  '@media (max-width: 599.95px)': {
    '& thead': { display: 'none' },
    '& tr, & td': { display: 'block' },
    '& td[data-label]::before': { content: 'attr(data-label)', display: 'block', fontWeight: 600 },
  },
});

const kindLabel: Record<Exclude<Part['kind'], 'same'>, string> = {
  own: 'Changed here',
  builtIn: 'Changed by the upgrade',
  both: 'Changed alike',
  conflict: 'Changed differently',
};
const columns = { base: 'Built-in before', own: 'Newest version here', builtIn: 'Built-in now' } as const;

interface Props {
  rule: RuleDetail;
  base: string;
  builtIn: string;
}

export function UpgradeDifference({ rule, base, builtIn }: Props) {
  const { may } = useScope();
  const [isSaving, setSaving] = useState(false);
  const own = rule.versions[0]!.yaml;
  const parts = useMemo(() => threeWay(base, own, builtIn), [base, own, builtIn]);
  const merged = mergedText(parts);
  const conflicts = parts.filter(({ kind }) => kind === 'conflict').length;
  return (
    <div style={{ display: 'grid', gap: 12, minWidth: 0 }}>
      {conflicts > 0 && (
        <Note tone="warning">
          {counted(conflicts, 'place')} changed differently here and by the upgrade. Edit the text and save a draft.
        </Note>
      )}
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
                  <td style={{ fontFamily: 'inherit' }}>{kindLabel[kind]}</td>
                  {(['base', 'own', 'builtIn'] as const).map((name) => (
                    <td key={name} data-label={columns[name]}>
                      {texts[name].length === 0 ? '–' : <VisibleText text={texts[name].join('\n')} keepLines />}
                    </td>
                  ))}
                </tr>
              ),
          )}
        </tbody>
      </Table>
      {merged !== undefined && rule.canEdit && may('rules:write') && (
        <div>
          <Button variant="outlined" onClick={() => setSaving(true)}>
            Save merged draft
          </Button>
        </div>
      )}
      {isSaving && merged !== undefined && <SaveDraft rule={rule} text={merged} onClose={() => setSaving(false)} />}
    </div>
  );
}
