/** Asks before a case is escalated or an update is sent, and shows who gets it. */
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
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { signatureQuery } from '../cases.queries.ts';
import { failed, said } from '../caseTexts.ts';
import { Recipients, recipientsOf } from './Recipients.tsx';

const texts = {
  escalation: {
    title: 'Escalate this case to the client?',
    what: 'The mail carries two links by which the client answers: benign or malicious. The case becomes escalated and waits for the client; its clocks stop meanwhile.',
    endpoint: caseMailsApi.sendEscalation,
  },
  update: {
    title: 'Send the client an update?',
    what: 'The mail tells what is new in this case.',
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
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    if (!kind) return;
    setBusy(true);
    try {
      const { message } = await call(texts[kind].endpoint, {
        body: { caseID: info.id, ...(narrative ? { caseNarrativeID: narrative } : {}) },
      });
      toast.success(message || said.case, 'case');
      onSent();
    } catch (error) {
      toast.error(failed(said.caseFailed, error), 'case');
    }
    setBusy(false);
  };
  return (
    <ConfirmDialog
      isOpen={kind !== undefined}
      title={kind ? texts[kind].title : ''}
      isBusy={isBusy}
      isYesOff={!signature.data || recipientsOf(signature.data, 'to').length === 0}
      onNo={onClose}
      onYes={() => void send()}
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
          label="Narrative in the mail"
          value={narrative}
          onChange={(event) => setNarrative(Number(event.target.value))}
          sx={{ mt: 2 }}
        >
          <MenuItem value={0}>The newest one</MenuItem>
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
