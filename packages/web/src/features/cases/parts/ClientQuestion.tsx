/** Open question to the client’s people, with a button for each reply. Only the first one counts. */
import Button from '@mui/material/Button';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { caseMailsApi, type EmailAction } from '@parapet/contract/caseMails.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { refreshCase } from '../caseCache.ts';
import { failureText, toastTexts } from '../caseTexts.ts';

const answers: Record<EmailAction, { label: string; effect: string }> = {
  benign: { label: 'Expected', effect: 'You confirm that you know this activity. The analysts are notified.' },
  malicious: {
    label: 'Not expected',
    effect: 'You confirm that your organisation did not do this. The case is marked as malicious and the analysts are notified.',
  },
};

export function ClientQuestion({ detail }: { detail: CaseDetail }) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<EmailAction>();
  const { id } = detail.caseGeneralInfo;
  const send = useApiMutation(caseMailsApi.answer, {
    success: 'Your answer has been sent.',
    failure: (error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    invalidates: [dashboardApi.summary],
    onSettled: () => {
      setChosen(undefined);
      void refreshCase(queries, id);
    },
  });
  if (!detail.can.answer) return null;
  return (
    <section aria-label="Question to you" className="no-print" style={{ marginBottom: 16 }}>
      <Note
        tone="warning"
        actions={(['benign', 'malicious'] as const).map((action) => (
          <Button key={action} size="small" variant="outlined" color="inherit" onClick={() => setChosen(action)}>
            {answers[action].label}
          </Button>
        ))}
      >
        <strong>Was this activity expected?</strong> The analysts wait for your answer.
      </Note>
      <ConfirmDialog
        isOpen={chosen !== undefined}
        title={`Answer “${answers[chosen ?? 'benign'].label}”?`}
        isBusy={send.isPending}
        onNo={() => setChosen(undefined)}
        onYes={() => chosen && send.mutate({ body: { caseID: id, action: chosen } })}
      >
        {answers[chosen ?? 'benign'].effect} Only the first answer counts.
      </ConfirmDialog>
    </section>
  );
}
