/** Styles of stacked bars: plot, legend, tooltip. */
import { styled } from '@mui/material/styles';
import type { Bucket, Series } from './bars.ts';
import { exact } from './numbers.ts';
import { palette } from './palette.ts';

export const Frame = styled('div')({ position: 'relative', minWidth: 0, width: '100%' });

export const Legend = styled('ul')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 14px',
  margin: '0 0 6px',
  padding: 0,
  listStyle: 'none',
  fontSize: 12,
  color: palette.text.secondary,
  '& li': { display: 'inline-flex', alignItems: 'center', gap: 5 },
  '& svg': { fontSize: 16 },
  '& i': { width: 10, height: 10, borderRadius: 2 },
  '& i.usual': { height: 0, borderRadius: 0, borderTop: `2px solid ${palette.text.secondary}` },
});

export const Plot = styled('svg')({
  display: 'block',
  width: '100%',
  overflow: 'visible',
  fontSize: 11,
  fontVariantNumeric: 'tabular-nums',
  '& text': { fill: palette.text.secondary },
  '& line': { stroke: palette.divider },
  '& line.usual': { stroke: palette.text.secondary, strokeWidth: 1.5 },
  '& rect[data-part]': { stroke: palette.background.paper, strokeWidth: 1 },
  '& .slot': { fill: 'transparent' },
  '& g[data-bar]:hover > .slot, & g[data-bar]:focus > .slot': { fill: palette.action.hover },
  '& g[data-bar]:focus': { outline: 'none' },
  '& g[data-bar]:focus-visible > .slot': { stroke: palette.primary.main, strokeWidth: 2 },
  '& g.can-act': { cursor: 'pointer' },
  '&.can-brush': { touchAction: 'pan-y', userSelect: 'none' },
  '& g.is-selected > .slot': { fill: palette.action.selected },
});

export const Tip = styled('div')({
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
  '& svg': { fontSize: 16 },
  '& i': { width: 10, height: 10, borderRadius: 2 },
  '& em': { marginLeft: 'auto', fontStyle: 'normal', fontVariantNumeric: 'tabular-nums' },
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
        {total === 0 ? 'None' : 'Total'}
        {total > 0 && <em>{exact(total)}</em>}
      </span>
      {bucket.usual !== undefined && (
        <span>
          Usually
          <em>{exact(bucket.usual)}</em>
        </span>
      )}
    </Tip>
  );
}
