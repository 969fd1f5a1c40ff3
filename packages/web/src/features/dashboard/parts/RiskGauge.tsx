/** Current risk score against the industry average; renders nothing until loaded. */
import { styled } from '@mui/material/styles';
import { maxScore, minScore } from '@parapet/contract/rules/risk.ts';
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { ScoreGauge } from '../../../kit/ScoreGauge.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { riskScoreQuery } from '../dashboard.queries.ts';

const Root = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 24px',
  padding: '0 16px 16px',
  '& dl': { display: 'grid', gridTemplateColumns: 'auto auto', gap: '4px 16px', margin: 0, fontSize: 13 },
  '& dt': { color: palette.text.secondary },
  '& dd': { margin: 0, textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
});

export function RiskGauge({ scope }: { scope: Scope }) {
  const { data } = useQuery({ ...riskScoreQuery(scope), retry: false });
  if (!data) return null;
  return (
    <Panel title="Risk score" end={<AppLink href={paths.riskScore({ client: scope.client })}>Score breakdown</AppLink>}>
      <Root>
        <ScoreGauge
          label={`Risk score ${data.tempScore} of ${maxScore}; industry average ${data.industryAverage}`}
          value={data.tempScore}
          mark={data.industryAverage}
          least={minScore}
          most={maxScore}
        />
        <dl>
          <dt>Now</dt>
          <dd>{exact(data.tempScore)}</dd>
          <dt>Last daily score</dt>
          <dd>{data.riskScore === null ? '–' : exact(data.riskScore)}</dd>
          <dt>Industry average</dt>
          <dd>{exact(data.industryAverage)}</dd>
          <dt>Lower is better</dt>
          <dd>
            {minScore}…{exact(maxScore)}
          </dd>
        </dl>
      </Root>
    </Panel>
  );
}
