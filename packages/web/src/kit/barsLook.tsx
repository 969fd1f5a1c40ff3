/** How stacked bars look: plot, legend, tooltip, and the same figures as a table. */
import { styled } from '@mui/material/styles';
import { exact } from './numbers.ts';
import type { Bucket, Series } from './StackedBars.tsx';

export const Frame = styled('div')({ position: 'relative', minWidth: 0, width: '100%' });

export const Legend = styled('ul')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 14px',
  margin: '0 0 6px',
  padding: 0,
  listStyle: 'none',
  fontSize: 12,
  color: (theme.vars ?? theme).palette.text.secondary,
  '& li': { display: 'inline-flex', alignItems: 'center', gap: 5 },
  '& i': { width: 10, height: 10, borderRadius: 2 },
  '& .end': { marginLeft: 'auto' },
}));

export const Plot = styled('svg')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'block',
    width: '100%',
    overflow: 'visible',
    fontSize: 11,
    fontVariantNumeric: 'tabular-nums',
    '& text': { fill: palette.text.secondary },
    '& line': { stroke: palette.divider },
    '& rect[data-part]': { stroke: palette.background.paper, strokeWidth: 1 },
    '& .slot': { fill: 'transparent' },
    '& g[data-bar]:hover > .slot, & g[data-bar]:focus > .slot': { fill: palette.action.hover },
    '& g[data-bar]:focus': { outline: 'none' },
    '& g[data-bar]:focus-visible > .slot': { stroke: palette.primary.main, strokeWidth: 2 },
    '& g.can-act': { cursor: 'pointer' },
  };
});

const Tip = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    position: 'absolute',
    zIndex: 6,
    bottom: 'calc(100% - 34px)',
    width: 190,
    padding: '8px 10px',
    fontSize: 12,
    pointerEvents: 'none',
    color: palette.text.primary,
    backgroundColor: palette.background.paper,
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    boxShadow: '0 6px 20px rgb(0 0 0 / 0.16)',
    '& b': { display: 'block', fontWeight: 600, marginBottom: 4 },
    '& span': { display: 'flex', alignItems: 'center', gap: 6, lineHeight: '20px' },
    '& i': { width: 10, height: 10, borderRadius: 2 },
    '& em': { marginLeft: 'auto', fontStyle: 'normal', fontVariantNumeric: 'tabular-nums' },
  };
});

/** The same tooltip on every chart. */
export function BarsTip({ bucket, series, x, room }: { bucket: Bucket; series: readonly Series[]; x: number; room: number }) {
  const half = 95;
  const total = bucket.values.reduce((sum, value) => sum + value, 0);
  return (
    <Tip aria-hidden style={{ left: Math.max(0, Math.min(room - half * 2, x - half)) }}>
      <b>{bucket.title}</b>
      {[...series].reverse().map((each) => {
        const value = bucket.values[series.indexOf(each)] ?? 0;
        return value > 0 ? (
          <span key={each.id}>
            {each.icon ?? <i style={{ backgroundColor: each.color }} />}
            {each.name}
            <em>{exact(value)}</em>
          </span>
        ) : null;
      })}
      <span>
        {total === 0 ? 'None' : 'In all'}
        {total > 0 && <em>{exact(total)}</em>}
      </span>
    </Tip>
  );
}

const Scroll = styled('div')(({ theme }) => ({
  overflow: 'auto',
  '& table': { width: '100%', borderCollapse: 'collapse', fontSize: 12, fontVariantNumeric: 'tabular-nums' },
  '& th': { fontWeight: 600, textAlign: 'right', color: (theme.vars ?? theme).palette.text.secondary },
  '& th:first-of-type': { textAlign: 'left' },
  '& td': { textAlign: 'right' },
  '& th, & td': { padding: '4px 8px', borderBottom: `1px solid ${(theme.vars ?? theme).palette.divider}` },
}));

export function Tabular({
  label,
  series,
  buckets,
  maxHeight,
}: {
  label: string;
  series: readonly Series[];
  buckets: readonly Bucket[];
  maxHeight: number;
}) {
  return (
    <Scroll style={{ maxHeight }} tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map((each) => (
              <th key={each.id} scope="col">
                {each.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket) => (
            <tr key={bucket.key}>
              <th scope="row">{bucket.title}</th>
              {bucket.values.map((value, index) => (
                <td key={series[index]?.id ?? index}>{exact(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
