/** Custom case email. Recipients are the client's users and escalation addresses only; the SOC always gets a copy. */
import Autocomplete from '@mui/material/Autocomplete';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { caseMailsApi, type EmailSignature } from '@parapet/contract/caseMails.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { mailPreviewQuery, signatureQuery } from '../cases.queries.ts';
import { failureText, toastTexts } from '../caseTexts.ts';
import { MailDraft } from './MailDraft.tsx';
import { recipientsOf } from './Recipients.tsx';

interface Props {
  detail: CaseDetail;
  onClose: () => void;
  onSent: () => void;
}

export function CustomMail(props: Props) {
  const signature = useQuery(signatureQuery(props.detail.caseGeneralInfo.clientOrganizationID));
  return (
    <Dialog open onClose={props.onClose} maxWidth="md" fullWidth aria-labelledby="custom-mail-title">
      <DialogTitle id="custom-mail-title" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        Write email
      </DialogTitle>
      {signature.data ? (
        <Composer {...props} signature={signature.data} />
      ) : (
        <DialogContent>
          {signature.error ? (
            <FailedState what="recipients" error={signature.error} onRetry={() => void signature.refetch()} />
          ) : (
            <TextSkeleton lines={8} />
          )}
        </DialogContent>
      )}
    </Dialog>
  );
}

function Composer({ detail, signature, onClose, onSent }: Props & { signature: EmailSignature }) {
  const { caseGeneralInfo: info } = detail;
  const all = [...new Set(signature.emailRecipientList.map(({ emailAddress }) => emailAddress))];
  // The Cc list ends with the SOC's address, which the server adds itself.
  const soc = recipientsOf(signature, 'cc').at(-1);
  const choices = all.filter((address) => address !== soc);
  const [to, setTo] = useState(recipientsOf(signature, 'to'));
  const [cc, setCc] = useState(recipientsOf(signature, 'cc').filter((address) => address !== soc));
  const [subject, setSubject] = useState(`Case ${info.incidentID}: ${info.title}`.replace(/\s+/g, ' ').slice(0, 200));
  const [text, setText] = useState('');
  const preview = useQuery(mailPreviewQuery(info.id, 'custom'));
  const send = useApiMutation(caseMailsApi.sendCustom, {
    success: ({ message }) => message || toastTexts.case,
    failure: (error) => failureText(toastTexts.caseFailed, error),
    topic: 'case',
    onSuccess: onSent,
  });
  const missing =
    to.length === 0
      ? 'Select at least one recipient'
      : subject.trim() === ''
        ? 'Enter a subject'
        : text.trim() === ''
          ? 'Enter a message'
          : undefined;
  const input = {
    params: { clientId: info.clientOrganizationID },
    body: { caseID: info.id, to, cc: cc.filter((address) => !to.includes(address)), subject, text },
  };
  const people = (label: string, value: string[], onChange: (value: string[]) => void, helperText?: string) => (
    <Autocomplete
      multiple
      size="small"
      options={choices}
      value={value}
      onChange={(_, next) => onChange(next.map((address) => address.trim()).filter(Boolean))}
      // Addresses of users are typed; the server rejects addresses that belong to neither a user nor an escalation contact.
      freeSolo
      autoSelect
      filterSelectedOptions
      renderInput={(params) => <TextField {...params} label={label} helperText={helperText} />}
    />
  );
  return (
    <>
      <DialogContent sx={{ display: 'grid', gap: 2, pt: '8px !important' }}>
        {people('To', to, setTo, 'Users and escalation addresses of the client.')}
        {people('Cc', cc, setCc, soc && `A copy always goes to ${soc}.`)}
        <MailDraft
          before={preview.data?.before ?? ''}
          after={preview.data?.after ?? ''}
          subject={subject}
          text={text}
          onSubject={setSubject}
          onText={setText}
        />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button onClick={onClose} disabled={send.isPending}>
          Cancel
        </Button>
        <span title={missing}>
          <Button
            variant="contained"
            loading={send.isPending}
            disabled={missing !== undefined}
            onClick={() => send.mutate(input)}
          >
            Send
          </Button>
        </span>
      </DialogActions>
    </>
  );
}
