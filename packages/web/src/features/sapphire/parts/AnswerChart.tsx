/** Chart of an answer’s groups: bars by name, or a line over time. The table below has the same figures. */
import { styled } from '@mui/material/styles';
import type { SapphireChart } from '@parapet/contract/sapphire.ts';
import { LineChart } from '../../../kit/LineChart.tsx';
import { palette } from '../../../kit/palette.ts';
import { ScoreBars } from '../../../kit/ScoreBars.tsx';
import { visibleText } from '../../../kit/visible.ts';

const maxBars = 10;
const maxNameLength = 44;
const Frame = styled('div')({ padding: '8px 12px', border: `1px solid ${palette.divider}`, borderRadius: 8 });

const nameOf = (label: string): string => {
  const name = visibleText(label) || 'None';
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name;
};

export function AnswerChart({ kind, points }: SapphireChart) {
  const most = Math.max(0, ...points.map(({ value }) => value));
  if (points.length < 2 || most === 0) return null;
  const named = points.map(({ label, value }, at) => ({ at, id: String(at), name: nameOf(label), value }));
  return (
    <Frame>
      {kind === 'line' ? (
        <LineChart
          label="Chart of this answer"
          points={named.map(({ at, name, value }) => ({ at, label: name, title: name, value }))}
          most={most}
          height={140}
        />
      ) : (
        <ScoreBars label="Chart of this answer" bars={named.slice(0, maxBars)} most={most} />
      )}
    </Frame>
  );
}
