/** Calibration chart: predicted confidence against reviewed verdicts, with an explanation. */
import { styled } from '@mui/material/styles';
import { outcomeOfVerdict, type Verdict, verdicts } from '@parapet/contract/rules/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { SkeletonBar } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { useWidth } from '../../../kit/useSize.ts';
import { type Point, percent, placeOf, pointsOf, radiusOf, sentenceOf, tableOf } from '../calibration.ts';
import { calibrationQuery } from '../reviews.queries.ts';

const height = 320;
const left = 44;
const bottom = 36;
const top = 16;

const Grid = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'minmax(0, 1fr)',
  '@media (min-width: 1100px)': { gridTemplateColumns: 'minmax(0, 3fr) minmax(280px, 2fr)' },
});
const Plot = styled('svg')({
  display: 'block',
  width: '100%',
  overflow: 'visible',
  fontSize: 11,
  fontVariantNumeric: 'tabular-nums',
  '& text': { fill: palette.text.secondary },
  '& line': { stroke: palette.divider },
  '& .ideal': { stroke: palette.text.secondary, strokeDasharray: '4 4' },
  '& [data-outcome=malicious]': { fill: palette.primary.main, stroke: palette.background.paper },
  '& [data-outcome=benign]': { fill: palette.background.paper, stroke: palette.primary.main, strokeWidth: 2.5 },
});
const Legend = styled('ul')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '4px 16px',
  margin: '0 0 4px',
  padding: 0,
  listStyle: 'none',
  fontSize: 12,
  color: palette.text.secondary,
  '& li': { display: 'inline-flex', alignItems: 'center', gap: 6 },
  '& svg': { width: 14, height: 14, overflow: 'visible' },
});
const Words = styled('div')({
  padding: '12px 16px 16px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  fontSize: 13,
  '& h2': { margin: '0 0 8px', fontSize: 16, lineHeight: '24px', fontWeight: 600 },
  '& dl': { display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(96px, 1fr))', gap: 12, margin: '0 0 12px' },
  '& dt': { fontSize: 12, color: palette.text.secondary },
  '& dd': { margin: 0, fontSize: 20, lineHeight: '28px', fontWeight: 650, fontVariantNumeric: 'tabular-nums' },
  '& p': { margin: '0 0 8px' },
  '& p:last-child': { margin: 0 },
});

/** Filled (malicious) or hollow (benign) mark, a circle or for the weaker verdict a diamond: distinguishable without colour. */
function Mark({ verdict, x, y, radius }: { verdict: Verdict; x: number; y: number; radius: number }) {
  const outcome = outcomeOfVerdict(verdict);
  return verdict === 'Malicious' || verdict === 'Benign' ? (
    <circle data-outcome={outcome} cx={x} cy={y} r={radius} />
  ) : (
    <path data-outcome={outcome} d={`M${x} ${y - radius}l${radius} ${radius}l${-radius} ${radius}l${-radius} ${-radius}z`} />
  );
}

const ratedVerdicts = verdicts.filter((verdict) => outcomeOfVerdict(verdict) !== undefined);

function Chart({ points }: { points: readonly Point[] }) {
  const root = useRef<HTMLDivElement>(null);
  const width = Math.max(0, (useWidth(root) ?? 0) - left - 16);
  const size = { width, height: height - top - bottom - 24 };
  const maxCases = Math.max(...points.map(({ cases }) => cases));
  const ticks = [0, 25, 50, 75, 100];
  return (
    <div ref={root}>
      <Legend>
        {ratedVerdicts.map((verdict) => (
          <li key={verdict}>
            <Plot as="svg" viewBox="0 0 14 14" aria-hidden>
              <Mark verdict={verdict} x={7} y={7} radius={5} />
            </Plot>
            {verdict}
          </li>
        ))}
        <li>Dashed: perfect calibration</li>
      </Legend>
      {width > 0 && (
        <Plot height={height - 24} data-chart role="group" aria-label="Share that reviews agreed with, by confidence">
          <g transform={`translate(${left} ${top})`}>
            {ticks.map((tick) => {
              const y = size.height - (tick / 100) * size.height;
              const x = (tick / 100) * size.width;
              return (
                <g key={tick} aria-hidden>
                  <line x1={0} x2={size.width} y1={y} y2={y} />
                  <text x={-8} y={y} dy="0.32em" textAnchor="end">
                    {tick}%
                  </text>
                  <text x={x} y={size.height + 16} textAnchor="middle">
                    {tick}%
                  </text>
                </g>
              );
            })}
            <line className="ideal" x1={0} y1={size.height} x2={size.width} y2={0} aria-hidden />
            <text x={size.width / 2} y={size.height + 32} textAnchor="middle" aria-hidden>
              Confidence
            </text>
            {points.map((point) => (
              <g key={`${point.verdict} ${point.from}`}>
                <title>{sentenceOf(point)}</title>
                <Mark verdict={point.verdict} {...placeOf(point, size)} radius={radiusOf(point.cases, maxCases)} />
              </g>
            ))}
          </g>
        </Plot>
      )}
    </div>
  );
}

export function CalibrationPanel({ client }: { client: number }) {
  const { data, error, refetch } = useQuery(calibrationQuery(client));
  if (!data) {
    return error ? (
      <FailedState what="calibration" error={error} onRetry={() => void refetch()} />
    ) : (
      <SkeletonBar height={height} />
    );
  }
  const points = pointsOf(data);
  if (points.length === 0) {
    return (
      <EmptyState
        title="No reviewed decisions yet"
        text="Once reviews are decided as Malicious or Benign, this chart shows how often decisioning was right by confidence."
      />
    );
  }
  return (
    <Grid>
      <ChartFrame title="Predicted against reviewed" height={height} table={tableOf(points)}>
        <Chart points={points} />
      </ChartFrame>
      <Words>
        <h2>How to read it</h2>
        <dl>
          <div>
            <dt>Reviewed</dt>
            <dd>{exact(data.reviewed)}</dd>
          </div>
          <div>
            <dt>Agreed</dt>
            <dd>{percent(data.agreed, data.reviewed)}%</dd>
          </div>
          <div>
            <dt>Brier score</dt>
            <dd>{data.brier === null ? '–' : data.brier.toFixed(3)}</dd>
          </div>
        </dl>
        <p>
          Each mark is a group of reviewed cases: confidence of decisioning (to the right) and share of reviewers who agreed
          (upwards). Larger marks have more cases.
        </p>
        <p>
          A review of Malicious agrees with Malicious and Suspicious, one of Benign with Benign and Likely Benign. Insufficient
          Information has no confidence and is not in the figures.
        </p>
        <p>
          On the dashed line, a confidence of 80% was right in 80 of 100 cases. Below it, decisioning was overconfident; above it,
          underconfident. Marks with few cases may be off the line by chance.
        </p>
        <p>
          The Brier score is the mean squared difference between the predicted probability of “malicious” and the reviewed result:
          0 is perfect, 0.25 equals a constant prediction of 50%.
        </p>
      </Words>
    </Grid>
  );
}
