/** Gauge of the score and its three parts; previews the score while values are edited. */
import { styled } from '@mui/material/styles';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { riskApi } from '@parapet/contract/risk.ts';
import { maxScore, minScore, type RiskComponents } from '@parapet/contract/rules/risk.ts';
import { counted, exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { ScoreGauge } from '../../../kit/ScoreGauge.tsx';
import { Inside, Quiet } from './risk.styles.tsx';

const Top = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 24px',
  '& dl': { display: 'grid', gridTemplateColumns: 'auto auto', gap: '4px 16px', margin: 0, fontSize: 14 },
  '& dt': { color: palette.text.secondary },
  '& dd': { margin: 0, textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
});
const Parts = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  display: 'grid',
  gap: 8,
  fontSize: 14,
  '& li': { display: 'grid', gridTemplateColumns: 'minmax(110px, 1fr) minmax(60px, 2fr) 48px', alignItems: 'center', gap: 12 },
  '& i': { height: 8, borderRadius: 4, backgroundColor: palette.action.selected, overflow: 'hidden' },
  '& b': { display: 'block', height: '100%', backgroundColor: palette.primary.main },
  '& em': { fontStyle: 'normal', textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& a': { color: palette.text.primary },
});

interface Props {
  score: AnswerOf<typeof riskApi.score>;
  /** Current score, or the preview with unsaved changes. */
  now: RiskComponents & { tempScore: number };
  isPreview: boolean;
  /** True when the page shows the sections that the parts link to. */
  hasLists: boolean;
}

export function ScorePanel({ score, now, isPreview, hasLists }: Props) {
  const parts = [
    { id: 'devices', name: 'Devices', value: now.deviceScore },
    { id: 'practices', name: 'Best practices', value: now.practiceScore },
    { id: 'cases', name: 'Cases', value: now.caseScore },
  ];
  const average =
    score.organisations > 0
      ? `Industry average of ${counted(score.organisations, 'client')} in ${score.industry}.`
      : `Too few clients ${score.industry ? `in ${score.industry}` : 'in one industry'} to compare with; ${exact(score.industryAverage)} is used as the industry average.`;
  return (
    <Panel title="Risk score">
      <Inside>
        <Top>
          <ScoreGauge
            label={`Risk score ${now.tempScore} of ${maxScore}, lower is better; the industry average is ${score.industryAverage}`}
            value={now.tempScore}
            mark={score.industryAverage}
            least={minScore}
            most={maxScore}
          />
          <dl aria-live="polite">
            <dt>{isPreview ? 'With your changes' : 'Now'}</dt>
            <dd>{exact(now.tempScore)}</dd>
            {isPreview && (
              <>
                <dt>Now</dt>
                <dd>{exact(score.tempScore)}</dd>
              </>
            )}
            <dt>Last daily score</dt>
            <dd>{score.riskScore === null ? '–' : exact(score.riskScore)}</dd>
            <dt>Industry average</dt>
            <dd>{exact(score.industryAverage)}</dd>
          </dl>
        </Top>
        <Parts aria-label="Parts of the score">
          {parts.map(({ id, name, value }) => (
            <li key={id}>
              {hasLists ? <a href={`#risk-${id}`}>{name}</a> : name}
              <i aria-hidden>
                <b style={{ width: `${value / 10}%` }} />
              </i>
              <em>{exact(value)}</em>
            </li>
          ))}
        </Parts>
        <Quiet>
          Lower is better, from {minScore} to {exact(maxScore)}. Each part ranges from 0 to 1,000 and counts 30%; the base is 100.{' '}
          {average}
        </Quiet>
      </Inside>
    </Panel>
  );
}
