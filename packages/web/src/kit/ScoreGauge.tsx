/** A score on a half circle, from the least at the left to the most at the right, with a mark for what to compare it with. */
import { styled } from '@mui/material/styles';
import { exact } from './numbers.ts';
import { palette } from './palette.ts';

const radius = 80;
const Dial = styled('svg')({
  display: 'block',
  flex: 'none',
  width: 184,
  height: 108,
  overflow: 'visible',
  '& path': { fill: 'none', strokeWidth: 12 },
  '& .all': { stroke: palette.action.selected },
  '& .now': { stroke: palette.primary.main },
  '& line': { stroke: palette.text.primary, strokeWidth: 2.5 },
  '& text': { fill: palette.text.primary, fontSize: 28, fontWeight: 650, textAnchor: 'middle' },
});

/** A point of the half circle, 0 at its left end and 1 at its right. */
function pointAt(share: number, at = radius): [x: number, y: number] {
  const angle = Math.PI * (1 - share);
  return [92 + at * Math.cos(angle), 96 - at * Math.sin(angle)];
}
const arcTo = (share: number) => `M ${pointAt(0).join(' ')} A ${radius} ${radius} 0 0 1 ${pointAt(share).join(' ')}`;

interface Props {
  /** For screen readers: what is shown, with both numbers. */
  label: string;
  value: number;
  /** Value to compare with. */
  mark?: number;
  least: number;
  most: number;
}

export function ScoreGauge({ label, value, mark, least, most }: Props) {
  const shareOf = (score: number) => Math.min(1, Math.max(0, (score - least) / (most - least)));
  const [from, to] = [pointAt(shareOf(mark ?? least), radius - 10), pointAt(shareOf(mark ?? least), radius + 10)];
  return (
    <Dial viewBox="0 0 184 108" role="img" aria-label={label}>
      <path className="all" d={arcTo(1)} />
      <path className="now" d={arcTo(shareOf(value))} />
      {mark !== undefined && <line x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} />}
      <text x={92} y={92}>
        {exact(value)}
      </text>
    </Dial>
  );
}
