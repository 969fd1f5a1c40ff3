/** Facts as name and value, in as many columns as fit. A fact without a value is left out: no rows of dashes. */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { palette } from './palette.ts';

export interface Fact {
  name: string;
  value: ReactNode;
  /** Takes the whole width: commands, messages. */
  isWide?: boolean;
}

const List = styled('dl')({
  display: 'grid',
  gap: '10px 16px',
  margin: 0,
  fontSize: 13,
  '& > div': { minWidth: 0 },
  '& dt': { fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& dd': { margin: 0, lineHeight: '20px', overflowWrap: 'anywhere', fontVariantNumeric: 'tabular-nums' },
});

export function DefinitionList({ facts, minWidth = 180 }: { facts: readonly Fact[]; minWidth?: number }) {
  return (
    <List style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(${minWidth}px, max(140px, 46%)), 1fr))` }}>
      {facts
        .filter((fact) => fact.value !== null && fact.value !== undefined && fact.value !== '')
        .map((fact) => (
          <div key={fact.name} style={fact.isWide ? { gridColumn: '1 / -1' } : undefined}>
            <dt>{fact.name}</dt>
            <dd>{fact.value}</dd>
          </div>
        ))}
    </List>
  );
}
