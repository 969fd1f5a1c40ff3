/**
 * Key figure with its trend against the previous period; a link, rendered by the given component, where it leads to a list.
 * Trends have no colour: more alerts are neither good nor bad.
 */
import { styled } from '@mui/material/styles';
import type { AnchorHTMLAttributes, ElementType, ReactNode, Ref } from 'react';
import { Hidden } from './Announced.tsx';
import { Count } from './Count.tsx';
import { TrendingDownRounded } from './icons/TrendingDownRounded.tsx';
import { TrendingFlatRounded } from './icons/TrendingFlatRounded.tsx';
import { TrendingUpRounded } from './icons/TrendingUpRounded.tsx';
import { abbreviate, exact, trendOf } from './numbers.ts';
import { palette } from './palette.ts';
import { SkeletonBar } from './Skeletons.tsx';

const Root = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  gap: 2,
  minWidth: 0,
  padding: '8px 16px 10px',
  '@media (max-width: 599.95px)': { padding: '6px 8px 8px' },
  color: palette.text.primary,
  textDecoration: 'none',
  position: 'relative',
  '@media (min-width: 900px)': {
    'html[data-density=compact] &': { flexDirection: 'row', alignItems: 'center', gap: 10, padding: '2px 12px' },
    // The exact figure gives way first, then a label of several words wraps; a figure never does.
    'html[data-density=compact] & > :last-of-type': { flex: '1 1 0', minWidth: 'min-content', flexWrap: 'nowrap' },
  },
  'a&:hover': { backgroundColor: palette.action.hover },
  'a&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2, zIndex: 1 },
  '&[aria-current="true"]': { backgroundColor: palette.action.selected },
});
const Label = styled('span')({
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  fontSize: 12,
  lineHeight: '16px',
  color: palette.text.secondary,
  minWidth: 'min-content',
  // A label wraps; a third line is cut.
  '& > span': { display: '-webkit-box', WebkitLineClamp: 2, WebkitBoxOrient: 'vertical', overflow: 'hidden' },
});
const Line = styled('span')({
  display: 'flex',
  alignItems: 'baseline',
  justifyContent: 'space-between',
  gap: '0 4px',
  flexWrap: 'wrap',
});
const Value = styled('span')({ fontSize: 20, lineHeight: '28px', fontWeight: 650, letterSpacing: '-0.01em' });
/** The exact figure stands beside the abbreviated one where there is room: without, it wraps below and is cut off. */
const Figures = styled('span')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  gap: '0 6px',
  minWidth: 'min-content',
  flex: '1 1 0',
  height: 28,
  overflow: 'hidden',
  'a:focus-visible &': { overflow: 'visible' },
  '& > small': { fontSize: 12, lineHeight: '28px', color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' },
});
const Change = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 3,
  fontSize: 12,
  color: palette.text.secondary,
  fontVariantNumeric: 'tabular-nums',
  whiteSpace: 'nowrap',
  '& svg': { fontSize: 14 },
});
const arrows = { up: TrendingUpRounded, down: TrendingDownRounded, level: TrendingFlatRounded };

export interface StatProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'children'> {
  label: string;
  icon?: ReactNode;
  /** undefined while it loads. */
  value: number | undefined;
  /** The same figure of the period before. */
  before?: number | undefined;
  /** Component that renders the link. */
  component?: ElementType;
  ref?: Ref<HTMLAnchorElement>;
}

export function Stat({ label, icon, value, before, href, component = 'a', ref, ...anchor }: StatProps) {
  const trend = value !== undefined && before !== undefined ? trendOf(value, before) : undefined;
  const Arrow = trend && arrows[trend.direction];
  const inside = (
    <>
      <Label>
        {icon}
        <span title={label}>{label}</span>
      </Label>
      <Line>
        <Figures>
          <Value>{value === undefined ? <SkeletonBar width={48} height={20} /> : <Count value={value} />}</Value>
          {value !== undefined && abbreviate(value) !== exact(value) && <small aria-hidden>{exact(value)}</small>}
        </Figures>
        {trend && Arrow && before !== undefined && (
          <Change title={`${exact(before)} in the previous period`}>
            <Arrow aria-hidden />
            <Hidden>{trend.direction} </Hidden>
            {trend.text}
            <Hidden> against the period before</Hidden>
          </Change>
        )}
      </Line>
    </>
  );
  return href === undefined ? (
    <Root>{inside}</Root>
  ) : (
    <Root as={component} {...({ href, ref, ...anchor } as object)}>
      {inside}
    </Root>
  );
}

/** Figures side by side in one frame; they wrap as a whole. */
export const StatRow = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(132px, 1fr))',
  '@media (max-width: 599.95px)': { gridTemplateColumns: 'repeat(auto-fit, minmax(104px, 1fr))' },
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
  marginBottom: 16,
  'html[data-density=compact] &': { marginBottom: 8 },
  '& > *': { boxShadow: `0 0 0 0.5px ${palette.divider}` },
});
