/** Bars of the entities with the most alerts, with counts and trend, each linked to its alerts. */
import { styled } from '@mui/material/styles';
import { Count } from '../../../kit/Count.tsx';
import { exact, trendOf } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';

const Small = styled('small')({ marginLeft: 8, fontSize: 12, color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' });

const List = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: '0 8px 8px',
  '& a': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) auto',
    gap: '2px 12px',
    padding: '5px 8px',
    borderRadius: 6,
    fontSize: 13,
    lineHeight: '18px',
    color: 'inherit',
    textDecoration: 'none',
  },
  '& a:hover': { backgroundColor: palette.action.hover },
  '& .rule': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& i': { gridColumn: '1 / -1', display: 'block', height: 4, borderRadius: 2, backgroundColor: palette.action.selected },
  '& i > b': { display: 'block', height: '100%', minWidth: 2, borderRadius: 2, backgroundColor: palette.text.secondary },
});

interface Top {
  key: string;
  name: string;
  count: number;
  before: number;
}

export function TopBars({ tops, hrefOf }: { tops: readonly Top[]; hrefOf: (key: string) => string }) {
  const max = Math.max(1, ...tops.map(({ count }) => count));
  return (
    <List>
      {tops.map(({ key, name, count, before }) => (
        <li key={key}>
          <AppLink href={hrefOf(key)} title={visibleText(name)}>
            <span className="rule">
              <VisibleText text={name} />
            </span>
            <span>
              <Count value={count} />
              <Change value={count} before={before} />
            </span>
            <i aria-hidden>
              <b style={{ width: `${(100 * count) / max}%` }} />
            </i>
          </AppLink>
        </li>
      ))}
    </List>
  );
}

/** Trend against the previous period: arrow and share, without colour, because more alerts are not always worse. */
export function Change({ value, before }: { value: number; before: number }) {
  const trend = trendOf(value, before);
  if (!trend) return null;
  const arrow = { up: '↑', down: '↓', level: '→' }[trend.direction];
  return (
    <Small title={`${exact(before)} in the previous period`}>
      <span aria-hidden>{arrow}</span> {trend.text}
    </Small>
  );
}
