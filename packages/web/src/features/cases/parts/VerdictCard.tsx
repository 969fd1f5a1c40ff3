/** What the evidence says, sentence by sentence; each cites an alert, a field and its value there. Analysts say whether it was right. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { CaseDetail, Decisioning } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { counted } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { call } from '../../../lib/call.ts';
import { paths } from '../../../lib/paths.ts';
import { toast } from '../../../lib/toast.ts';
import { disabledReason, failed, said } from '../caseTexts.ts';
import { VerdictMark } from './CaseMarks.tsx';

const factorLabel: Record<Decisioning['evidence'][number]['factor'], string> = {
  severity: 'Severity',
  outcome: 'Past outcomes',
  history: 'History',
  sequence: 'Sequence',
  reputation: 'Reputation',
  time: 'Time of day',
  response: 'Response',
  silence: 'Silent source',
};

const Sentences = styled('ul')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
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
  };
});

const isSilent = ({ evidence }: Decisioning) => evidence.some(({ factor }) => factor === 'silence');
/** What "Insufficient Information" means for who reads it. */
const insufficient = (decisioning: Decisioning) =>
  isSilent(decisioning)
    ? 'A data source was silent in the time of this case. What it would have sent could turn the verdict either way, so none is given: look at the source, or ask the client.'
    : 'What is known speaks neither clearly for an attack nor clearly against one. More events, a reputation or the client’s answer can decide it.';

export function VerdictCard({ detail, timeZone }: { detail: CaseDetail; timeZone: string }) {
  const { decisioning, can } = detail;
  if (!decisioning) {
    return (
      <Section title="Verdict">
        <EmptyState
          title="Not judged yet"
          text="The evidence is weighed as soon as the alerts of a case settle, usually within a minute."
        />
      </Section>
    );
  }
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
          Confidence <b>{decisioning.confidenceScore}</b> of 100
        </Box>
      </Box>
      {decisioning.verdict === 'Insufficient Information' && (
        <Box sx={{ mb: 1, fontSize: 13, maxWidth: '84ch' }}>{insufficient(decisioning)}</Box>
      )}
      <Sentences>
        <li>
          <span className="factor">Start</span>
          <span>Before any evidence: of all cases, most turn out benign.</span>
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
              title={each.weight > 0 ? 'Speaks for malicious' : each.weight < 0 ? 'Speaks for benign' : 'Decides nothing'}
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
          {counted(decisioning.uncited, 'sentence')} left out: what they cite is not stored any more.
        </Box>
      )}
      {can.seeInternals && <Correctness caseID={detail.caseGeneralInfo.id} decisioning={decisioning} canWrite={can.write} />}
    </Section>
  );
}

function Correctness({ caseID, decisioning, canWrite }: { caseID: number; decisioning: Decisioning; canWrite: boolean }) {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<boolean>();
  const [notes, setNotes] = useState('');
  const [isBusy, setBusy] = useState(false);
  const reason = disabledReason.write(canWrite);
  const save = async () => {
    if (asked === undefined) return;
    setBusy(true);
    try {
      await call(reviewsApi.updateDecisioningCorrectness, { body: { caseID, notes, isAIDecisioningCorrect: asked } });
      toast.success(said.correctness, 'case');
      setAsked(undefined);
      await queries.invalidateQueries({ queryKey: [casesApi.detail.id] });
    } catch (error) {
      toast.error(failed(said.caseFailed, error), 'case');
    }
    setBusy(false);
  };
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
        {isCorrect ? 'Correct' : 'Not correct'}
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
      <span>{decisioning.isCorrect === null ? 'Was this verdict right?' : 'A reviewer said that this verdict was'}</span>
      {button(true)}
      {button(false)}
      {decisioning.notes && (
        <Box sx={{ flex: '1 1 100%', color: 'text.secondary', whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          <VisibleText text={decisioning.notes} keepLines />
        </Box>
      )}
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={asked ? 'Confirm this verdict?' : 'Say that this verdict is not correct?'}
        isBusy={isBusy}
        onNo={() => setAsked(undefined)}
        onYes={() => void save()}
      >
        Decisioning learns from it: it counts for the rules of this case in this organisation.
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
