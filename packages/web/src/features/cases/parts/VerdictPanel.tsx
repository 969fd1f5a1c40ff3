/** Verdict of a case beside its actions: verdict and confidence in words, what they mean, and the analysts’ rating of decisioning. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import type { CaseDetail, Decisioning } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { calibrationNote, judgementOfDetail } from '@parapet/contract/rules/judgement.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { disabledReason, failureText, toastTexts } from '../caseTexts.ts';
import { VerdictMark } from './CaseMarks.tsx';

const isSilent = ({ evidence }: Decisioning) => evidence.some(({ factor }) => factor === 'silence');
/** Explanation of the verdicts between Malicious and Benign. */
function explanationOf(decisioning: Decisioning): string | undefined {
  if (decisioning.verdict === 'Suspicious')
    return 'The evidence points to an attack but does not prove it. Check the open points first; the client’s answer can decide it.';
  if (decisioning.verdict === 'Likely Benign')
    return 'There is little evidence of an attack. A short check is enough before closing.';
  if (decisioning.verdict !== 'Insufficient Information') return undefined;
  return isSilent(decisioning)
    ? 'A data source sent no events during this case. Its missing events could change the verdict, so none is given. Check the source or ask the client.'
    : 'The evidence neither confirms nor rules out an attack. More events, a reputation or the client’s answer can decide it.';
}

export function VerdictPanel({ detail }: { detail: CaseDetail }) {
  const { decisioning, can, caseGeneralInfo: info } = detail;
  const judgement = judgementOfDetail(detail);
  const explanation = judgement.by === 'decisioning' && decisioning ? explanationOf(decisioning) : undefined;
  return (
    <Panel title="Verdict">
      <Box sx={{ display: 'grid', gap: 1, p: '0 16px 16px', fontSize: 13 }}>
        <Box sx={{ fontSize: 14, fontWeight: 600 }}>
          <VerdictMark judgement={judgement} />
        </Box>
        {judgement.verdict === null && (
          <span>The verdict follows when no new alerts arrive for the case, usually within a minute.</span>
        )}
        {explanation && <span>{explanation}</span>}
        {judgement.confidence && (
          <Box component="span" sx={{ fontSize: 12, color: 'text.secondary' }}>
            {calibrationNote(judgement.confidence)}
          </Box>
        )}
        {decisioning && (
          <AppLink href={paths.case(info.id, { how: 'judged' })} style={{ color: 'inherit', textUnderlineOffset: 3 }}>
            How this was judged
          </AppLink>
        )}
        {decisioning && can.seeInternals && <Correctness caseID={info.id} decisioning={decisioning} canWrite={can.write} />}
      </Box>
    </Panel>
  );
}

function Correctness({ caseID, decisioning, canWrite }: { caseID: number; decisioning: Decisioning; canWrite: boolean }) {
  const [pending, setPending] = useState<boolean>();
  const [notes, setNotes] = useState('');
  const reason = disabledReason.write(canWrite);
  const save = useApiMutation(reviewsApi.updateDecisioningCorrectness, {
    invalidates: [casesApi.detail],
    success: toastTexts.correctness,
    failure: (error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    onSuccess: () => setPending(undefined),
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
          setPending(isCorrect);
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
      <span>{decisioning.isCorrect === null ? 'Was decisioning’s verdict correct?' : 'Reviewed as'}</span>
      {button(true)}
      {button(false)}
      {decisioning.notes && (
        <Box sx={{ flex: '1 1 100%', color: 'text.secondary', whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          <VisibleText text={decisioning.notes} keepLines />
        </Box>
      )}
      <ConfirmDialog
        isOpen={pending !== undefined}
        title={pending ? 'Confirm this verdict?' : 'Mark this verdict as incorrect?'}
        isBusy={save.isPending}
        onNo={() => setPending(undefined)}
        onYes={() => pending !== undefined && save.mutate({ body: { caseID, notes, isAIDecisioningCorrect: pending } })}
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
