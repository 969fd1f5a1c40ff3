/** Escalation, update or narrative by email: recipients and a preview that can be edited before it leaves. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Modal } from '../../../kit/Modal.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { mailPreviewQuery, signatureQuery } from '../cases.queries.ts';
import { failureText, toastTexts } from '../caseTexts.ts';
import { MailDraft } from './MailDraft.tsx';
import { Recipients, recipientsOf } from './Recipients.tsx';

const texts = {
  escalation: {
    title: 'Escalate this case to the client?',
    what: 'The email contains two links for the client’s answer: expected or not expected. The case becomes escalated and waits for the client; its SLA timers pause.',
    failure: toastTexts.caseFailed,
  },
  update: {
    title: 'Send an update to the client?',
    what: 'The client can read the message in the portal as well.',
    failure: toastTexts.caseFailed,
  },
  narrative: {
    title: 'Email this narrative?',
    what: 'The client can read the narrative in the portal as well. It can’t be edited afterwards.',
    failure: toastTexts.narrativeMailFailed,
  },
} as const;

interface Props {
  kind: keyof typeof texts;
  detail: CaseDetail;
  /** Narrative of a narrative email; otherwise the newest is preselected. */
  narrativeId?: number;
  onClose: () => void;
  onSent: () => void;
}

export function SendMail({ kind, detail, narrativeId, onClose, onSent }: Props) {
  const { caseGeneralInfo: info, caseNarrative: narratives } = detail;
  const [chosen, setChosen] = useState(narrativeId ?? 0);
  const [edits, setEdits] = useState<{ subject?: string; text?: string }>({});
  const signature = useQuery(signatureQuery(info.clientOrganizationID));
  const preview = useQuery(mailPreviewQuery(info.id, kind, chosen || undefined));
  const send = useSend(kind, onSent);
  const failed = signature.error ?? preview.error;
  const draft = preview.data && { ...preview.data, ...edits };
  const canSend = signature.data && recipientsOf(signature.data, 'to').length > 0 && draft?.subject.trim() && draft.text.trim();
  return (
    <Modal
      title={texts[kind].title}
      maxWidth="md"
      onClose={send.isPending ? undefined : onClose}
      sx={{ display: 'grid', gap: 2, fontSize: 14 }}
      actions={
        <>
          <Button onClick={onClose} disabled={send.isPending}>
            Cancel
          </Button>
          <Button
            variant="contained"
            loading={send.isPending}
            disabled={!canSend}
            onClick={() => send.mutate({ caseID: info.id, narrative: chosen, ...edits })}
          >
            Send
          </Button>
        </>
      }
    >
      <div>{texts[kind].what}</div>
      {failed ? (
        <FailedLine
          what="the preview"
          error={failed}
          onRetry={() => void Promise.all([signature.refetch(), preview.refetch()])}
        />
      ) : (
        !(signature.data && draft) && <TextSkeleton lines={8} />
      )}
      {signature.data && <Recipients signature={signature.data} />}
      {kind !== 'narrative' && narratives.length > 1 && (
        <TextField
          select
          size="small"
          label="Narrative in the email"
          value={chosen}
          onChange={(event) => {
            setChosen(Number(event.target.value));
            setEdits(({ text: _, ...rest }) => rest);
          }}
        >
          <MenuItem value={0}>Newest</MenuItem>
          {narratives.slice(1).map(({ id, startTime, analystUserAccountFull: by }) => (
            <MenuItem key={id} value={id}>
              {absoluteTime(Date.parse(startTime))} by {by.displayName}
            </MenuItem>
          ))}
        </TextField>
      )}
      {draft && (
        <MailDraft
          {...draft}
          onSubject={(subject) => setEdits((given) => ({ ...given, subject }))}
          onText={(text) => setEdits((given) => ({ ...given, text }))}
        />
      )}
    </Modal>
  );
}

interface Sending {
  caseID: number;
  /** 0: the newest. */
  narrative: number;
  subject?: string;
  text?: string;
}

function useSend(kind: Props['kind'], onSuccess: () => void) {
  const shared = { failure: (error: Error) => failureText(texts[kind].failure, error), topic: 'case' as const, onSuccess };
  const ofCase = useApiMutation(kind === 'escalation' ? caseMailsApi.sendEscalation : caseMailsApi.sendUpdate, {
    ...shared,
    success: ({ message }) => message || toastTexts.case,
    input: ({ caseID, narrative, ...edits }: Sending) => ({
      body: { caseID, ...(narrative ? { caseNarrativeID: narrative } : {}), ...edits },
    }),
  });
  const ofNarrative = useApiMutation(caseMailsApi.sendNarrative, {
    ...shared,
    success: toastTexts.narrativeMailed,
    input: ({ caseID: _, narrative, ...edits }: Sending) => ({ body: { caseNarrativeID: narrative, ...edits } }),
  });
  return kind === 'narrative' ? ofNarrative : ofCase;
}
