/** Evidence of a verdict: each sentence cites an alert, a field and its value. "How this was judged" adds weights and model. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { CaseDetail, Decisioning } from '@parapet/contract/caseDetail.ts';
import { modelJudgement, verdictText } from '@parapet/contract/rules/judgement.ts';
import { useEffect, useRef } from 'react';
import { MonoText } from '../../../kit/Mono.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { thresholdText } from './caseColumns.tsx';

const factorLabel: Record<Decisioning['evidence'][number]['factor'], string> = {
  severity: 'Severity',
  technique: 'Technique',
  context: 'Circumstances',
  outcome: 'Past outcomes',
  history: 'History',
  sequence: 'Sequence',
  reputation: 'Reputation',
  time: 'Time of day',
  response: 'Response',
  silence: 'Source outage',
};

const Sentences = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr)',
    gap: '2px 12px',
    padding: '7px 0',
    borderTop: `1px solid ${palette.divider}`,
  },
  '&[data-explained] > li': { gridTemplateColumns: '92px minmax(0, 1fr) 44px' },
  '& > li:first-of-type': { borderTop: 0 },
  '& .factor, & .cite': { fontSize: 12, lineHeight: '20px', color: palette.text.secondary },
  '& .cite': { overflowWrap: 'anywhere' },
  '& .weight': { textAlign: 'right', fontVariantNumeric: 'tabular-nums', color: palette.text.secondary },
  '& a': { color: palette.text.primary, textUnderlineOffset: 3 },
  '@media (max-width: 599.95px)': {
    '&[data-explained] > li': { gridTemplateColumns: 'minmax(0, 1fr) 44px' },
    '& .factor': { gridColumn: '1 / -1', lineHeight: '16px' },
  },
});

/** Explains the two scores: a case's score has no cap, the client's total of cases has. */
const riskNote =
  'The case’s own score has no cap. In the client’s risk score the cases together count at least 0 and at most 1,000, so that the total stays between 100 and 1,000.';

/** Absent before the first verdict. The open explanation stands in the address, so that it can be linked. */
export function Evidence({ detail, timeZone }: { detail: CaseDetail; timeZone: string }) {
  const { decisioning } = detail;
  const { search, change } = useSearchState();
  const isExplained = search.how === 'judged';
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isExplained) place.current?.scrollIntoView({ block: 'start' });
  }, [isExplained]);
  if (!decisioning) return null;
  return (
    <div ref={place} style={{ scrollMarginTop: 56 }}>
      <Section
        title="Evidence"
        note={
          <Button size="small" aria-expanded={isExplained} onClick={() => change({ how: isExplained ? undefined : 'judged' })}>
            How this was judged
          </Button>
        }
      >
        {isExplained && <Judging detail={detail} decisioning={decisioning} timeZone={timeZone} />}
        <EvidenceList decisioning={decisioning} isExplained={isExplained} />
      </Section>
    </div>
  );
}

function Judging({ detail, decisioning, timeZone }: { detail: CaseDetail; decisioning: Decisioning; timeZone: string }) {
  const { verdict, confidenceScore, model, decidedAt } = decisioning;
  return (
    <Box sx={{ mb: 1.5, fontSize: 13, maxWidth: '84ch', color: 'text.secondary' }}>
      The model <VisibleText text={model} /> judged the case on <AbsoluteTime at={decidedAt} timeZone={timeZone} />:{' '}
      {verdictText(modelJudgement(verdict, confidenceScore))}. It adds the weights of these sentences; positive ones support
      malicious. Case score{' '}
      <span title={`${thresholdText(detail.casePercentage)}. ${riskNote}`}>{detail.caseGeneralInfo.riskScore}</span>.
    </Box>
  );
}

/** Sentences shown without the explanation, the first ones. */
const maxBrief = 8;

interface ListProps {
  decisioning: Decisioning;
  isExplained?: boolean;
  isWhole?: boolean;
}

export function EvidenceList({ decisioning, isExplained = false, isWhole = isExplained }: ListProps) {
  const shown = isWhole ? decisioning.evidence : decisioning.evidence.slice(0, maxBrief);
  const left = decisioning.evidence.length - shown.length;
  return (
    <>
      <Sentences data-explained={isExplained || undefined}>
        {isExplained && (
          <li>
            <span className="factor">Start</span>
            <span>Prior: most cases turn out benign.</span>
            <span className="weight">{decisioning.startWeight}</span>
          </li>
        )}
        {shown.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of one verdict never change their order, and may repeat.
          <li key={index}>
            {isExplained && <span className="factor">{factorLabel[each.factor]}</span>}
            <span>
              <VisibleText text={each.text} />
              {each.alertID !== null && (
                <span className="cite">
                  {' '}
                  <AppLink href={paths.alert(each.alertID)}>Alert {each.alertID}</AppLink>
                  {each.field && (
                    <>
                      :{' '}
                      <MonoText>
                        <VisibleText text={each.field} />
                      </MonoText>
                      {' = '}
                      <MonoText>
                        <VisibleText text={each.value ?? ''} />
                      </MonoText>
                    </>
                  )}
                </span>
              )}
            </span>
            {isExplained && (
              <span
                className="weight"
                title={each.weight > 0 ? 'Supports malicious' : each.weight < 0 ? 'Supports benign' : 'Neutral'}
              >
                {each.weight > 0 ? '+' : ''}
                {each.weight}
              </span>
            )}
          </li>
        ))}
      </Sentences>
      {left > 0 && (
        <Box sx={{ mt: 1, fontSize: 12, color: 'text.secondary' }}>
          {counted(left, 'more sentence')} under “How this was judged”.
        </Box>
      )}
      {decisioning.evidence.length === 0 && (
        <Box sx={{ fontSize: 13, maxWidth: '84ch' }}>
          <VisibleText text={decisioning.explanation || 'No sentence can be cited.'} keepLines />
        </Box>
      )}
      {decisioning.uncited > 0 && (
        <Box sx={{ mt: 1, fontSize: 12, color: 'text.secondary' }}>
          {counted(decisioning.uncited, 'sentence')} omitted, because the cited data is no longer stored.
        </Box>
      )}
    </>
  );
}
