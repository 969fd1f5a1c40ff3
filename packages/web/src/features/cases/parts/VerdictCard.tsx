/** Verdict with its evidence; each sentence cites an alert, a field and its value. Analysts can rate the verdict. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { CaseDetail, Decisioning } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { disabledReason, failureText, toastTexts } from '../caseTexts.ts';
import { VerdictMark } from './CaseMarks.tsx';

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
    gridTemplateColumns: '92px minmax(0, 1fr) 44px',
    gap: '2px 12px',
    padding: '7px 0',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& > li:first-of-type': { borderTop: 0 },
  '& .factor, & .cite': { fontSize: 12, lineHeight: '20px', color: palette.text.secondary },
  '& .cite': { overflowWrap: 'anywhere' },
  '& .weight': { textAlign: 'right', fontVariantNumeric: 'tabular-nums', color: palette.text.secondary },
  '& a': { color: palette.text.primary, textUnderlineOffset: 3 },
  '@media (max-width: 599.95px)': {
    '& > li': { gridTemplateColumns: 'minmax(0, 1fr) 44px' },
    '& .factor': { gridColumn: '1 / -1', lineHeight: '16px' },
  },
});

const isSilent = ({ evidence }: Decisioning) => evidence.some(({ factor }) => factor === 'silence');
/** Explanation of the verdicts between Malicious and Benign. */
function explanationOf(decisioning: Decisioning): string | undefined {
  if (decisioning.verdict === 'Suspicious')
    return 'More speaks for an attack than against it, but not enough to call it one. Check the open points first; the client’s answer can decide it.';
  if (decisioning.verdict === 'Likely Benign') return 'Little speaks for an attack. A short check is enough before closing.';
  if (decisioning.verdict !== 'Insufficient Information') return undefined;
  return isSilent(decisioning)
    ? 'A data source sent no events during this case. Its missing events could change the verdict, so none is given. Check the source or ask the client.'
    : 'The evidence neither confirms nor rules out an attack. More events, a reputation or the client’s answer can decide it.';
}

export function VerdictCard({ detail, timeZone }: { detail: CaseDetail; timeZone: string }) {
  const { decisioning, can } = detail;
  if (!decisioning) {
    return (
      <Section title="Verdict">
        <EmptyState
          title="No verdict yet"
          text="The verdict follows when no new alerts arrive for the case, usually within a minute."
        />
      </Section>
    );
  }
  const explanation = explanationOf(decisioning);
  return (
    <Section
      title="Verdict"
      note={
        <>
          <VisibleText text={decisioning.model} /> · <AbsoluteTime at={decisioning.decidedAt} timeZone={timeZone} />
        </>
      }
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 16px', mb: 1 }}>
        <Box sx={{ fontSize: 16, fontWeight: 600 }}>
          <VerdictMark verdict={decisioning.verdict} confidence={null} />
        </Box>
        <Box sx={{ fontSize: 13 }}>
          {decisioning.confidenceScore === null ? (
            'Confidence not rated'
          ) : (
            <>
              Confidence <b>{decisioning.confidenceScore}</b> of 100
            </>
          )}
        </Box>
      </Box>
      {explanation && <Box sx={{ mb: 1, fontSize: 13, maxWidth: '84ch' }}>{explanation}</Box>}
      <Sentences>
        <li>
          <span className="factor">Start</span>
          <span>Prior: most cases turn out benign.</span>
          <span className="weight">{decisioning.startWeight}</span>
        </li>
        {decisioning.evidence.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of one verdict never change their order, and may repeat.
          <li key={index}>
            <span className="factor">{factorLabel[each.factor]}</span>
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
            <span
              className="weight"
              title={each.weight > 0 ? 'Supports malicious' : each.weight < 0 ? 'Supports benign' : 'Neutral'}
            >
              {each.weight > 0 ? '+' : ''}
              {each.weight}
            </span>
          </li>
        ))}
      </Sentences>
      {decisioning.evidence.length === 0 && decisioning.explanation && (
        <Box sx={{ fontSize: 13, maxWidth: '84ch' }}>
          <VisibleText text={decisioning.explanation} keepLines />
        </Box>
      )}
      {decisioning.uncited > 0 && (
        <Box sx={{ mt: 1, fontSize: 12, color: 'text.secondary' }}>
          {counted(decisioning.uncited, 'sentence')} omitted, because the cited data is no longer stored.
        </Box>
      )}
      {can.seeInternals && <Correctness caseID={detail.caseGeneralInfo.id} decisioning={decisioning} canWrite={can.write} />}
    </Section>
  );
}

function Correctness({ caseID, decisioning, canWrite }: { caseID: number; decisioning: Decisioning; canWrite: boolean }) {
  const [asked, setAsked] = useState<boolean>();
  const [notes, setNotes] = useState('');
  const reason = disabledReason.write(canWrite);
  const save = useApiMutation(reviewsApi.updateDecisioningCorrectness, {
    invalidates: [casesApi.detail],
    success: toastTexts.correctness,
    failure: (error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    onSuccess: () => setAsked(undefined),
  });
  const button = (isCorrect: boolean) => (
    <span title={reason}>
      <Button
        size="small"
        variant={decisioning.isCorrect === isCorrect ? 'contained' : 'outlined'}
        aria-pressed={decisioning.isCorrect === isCorrect}
        disabled={reason !== undefined}
        onClick={() => {
          setNotes(decisioning.notes);
          setAsked(isCorrect);
        }}
      >
        {isCorrect ? 'Correct' : 'Incorrect'}
      </Button>
    </span>
  );
  return (
    <Box
      className="no-print"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        gap: 1,
        mt: 1.5,
        pt: 1.5,
        borderTop: '1px solid',
        borderColor: 'divider',
        fontSize: 13,
      }}
    >
      <span>{decisioning.isCorrect === null ? 'Is this verdict correct?' : 'Reviewed as'}</span>
      {button(true)}
      {button(false)}
      {decisioning.notes && (
        <Box sx={{ flex: '1 1 100%', color: 'text.secondary', whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          <VisibleText text={decisioning.notes} keepLines />
        </Box>
      )}
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={asked ? 'Confirm this verdict?' : 'Mark this verdict as incorrect?'}
        isBusy={save.isPending}
        onNo={() => setAsked(undefined)}
        onYes={() => asked !== undefined && save.mutate({ body: { caseID, notes, isAIDecisioningCorrect: asked } })}
      >
        Decisioning uses this rating for the rules of this case in this organisation.
        <TextField
          label="Notes"
          value={notes}
          onChange={(event) => setNotes(event.target.value)}
          multiline
          minRows={3}
          maxRows={10}
          fullWidth
          size="small"
          sx={{ mt: 2 }}
          slotProps={{ htmlInput: { maxLength: 20_000 } }}
        />
      </ConfirmDialog>
    </Box>
  );
}
