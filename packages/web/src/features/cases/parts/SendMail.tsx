/** Confirms an escalation or an update email, showing its recipients. */
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { signatureQuery } from '../cases.queries.ts';
import { failureText, toastTexts } from '../caseTexts.ts';
import { Recipients, recipientsOf } from './Recipients.tsx';

const texts = {
  escalation: {
    title: 'Escalate this case to the client?',
    what: 'The email contains two links for the client’s answer: benign or malicious. The case becomes escalated and waits for the client; its SLA timers pause.',
    endpoint: caseMailsApi.sendEscalation,
  },
  update: {
    title: 'Send an update to the client?',
    what: 'The email describes the changes in this case.',
    endpoint: caseMailsApi.sendUpdate,
  },
} as const;

interface Props {
  kind: 'escalation' | 'update' | undefined;
  detail: CaseDetail;
  onClose: () => void;
  onSent: () => void;
}

export function SendMail({ kind, detail, onClose, onSent }: Props) {
  const { caseGeneralInfo: info, caseNarrative: narratives } = detail;
  const signature = useQuery({ ...signatureQuery(info.clientOrganizationID), enabled: kind !== undefined });
  const [narrative, setNarrative] = useState(0);
  const send = useApiMutation(texts[kind ?? 'update'].endpoint, {
    success: ({ message }) => message || toastTexts.case,
    failure: (error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    onSuccess: onSent,
  });
  return (
    <ConfirmDialog
      isOpen={kind !== undefined}
      title={kind ? texts[kind].title : ''}
      isBusy={send.isPending}
      isYesOff={!signature.data || recipientsOf(signature.data, 'to').length === 0}
      onNo={onClose}
      onYes={() => send.mutate({ body: { caseID: info.id, ...(narrative ? { caseNarrativeID: narrative } : {}) } })}
    >
      {kind && <p style={{ margin: '0 0 12px' }}>{texts[kind].what}</p>}
      {signature.data ? (
        <Recipients signature={signature.data} />
      ) : signature.error ? (
        <FailedLine what="recipients" error={signature.error} onRetry={() => void signature.refetch()} />
      ) : (
        <TextSkeleton lines={3} />
      )}
      {narratives.length > 1 && (
        <TextField
          select
          size="small"
          fullWidth
          label="Narrative in the email"
          value={narrative}
          onChange={(event) => setNarrative(Number(event.target.value))}
          sx={{ mt: 2 }}
        >
          <MenuItem value={0}>Newest</MenuItem>
          {narratives.slice(1).map(({ id, startTime, analystUserAccountFull: by }) => (
            <MenuItem key={id} value={id}>
              {absoluteTime(Date.parse(startTime))} by {by.displayName}
            </MenuItem>
          ))}
        </TextField>
      )}
    </ConfirmDialog>
  );
}
