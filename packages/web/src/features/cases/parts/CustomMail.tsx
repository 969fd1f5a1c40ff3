/** A mail of one's own words. Recipients are the client's users and escalation addresses only; the SOC always has a copy (decision 18). */
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
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { signatureQuery } from '../cases.queries.ts';
import { failed, said } from '../caseTexts.ts';
import { recipientsOf, signatureText } from './Recipients.tsx';

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
        Write a mail
      </DialogTitle>
      {signature.data ? (
        <Written {...props} signature={signature.data} />
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

function Written({ detail, signature, onClose, onSent }: Props & { signature: EmailSignature }) {
  const { caseGeneralInfo: info } = detail;
  const all = [...new Set(signature.emailRecipientList.map(({ emailAddress }) => emailAddress))];
  // The list of copies ends with the SOC's address, which the server adds itself.
  const soc = recipientsOf(signature, 'cc').at(-1);
  const choices = all.filter((address) => address !== soc);
  const [to, setTo] = useState(recipientsOf(signature, 'to'));
  const [cc, setCc] = useState(recipientsOf(signature, 'cc').filter((address) => address !== soc));
  const [subject, setSubject] = useState(`Case ${info.incidentID}: ${info.title}`.replace(/\s+/g, ' ').slice(0, 200));
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const missing =
    to.length === 0
      ? 'Choose who gets it'
      : subject.trim() === ''
        ? 'Write a subject'
        : text.trim() === ''
          ? 'Write the text'
          : undefined;
  const send = async () => {
    setBusy(true);
    try {
      const { message } = await call(caseMailsApi.sendCustom, {
        params: { clientId: info.clientOrganizationID },
        body: { caseID: info.id, to, cc: cc.filter((address) => !to.includes(address)), subject, text },
      });
      toast.success(message || said.case, 'case');
      onSent();
    } catch (error) {
      toast.error(failed(said.caseFailed, error), 'case');
    }
    setBusy(false);
  };
  const people = (label: string, value: string[], onChange: (value: string[]) => void, helperText?: string) => (
    <Autocomplete
      multiple
      size="small"
      options={choices}
      value={value}
      onChange={(_, next) => onChange(next.map((address) => address.trim()).filter(Boolean))}
      // A user's address is typed; whoever is neither user nor escalation address of the client is refused by the server.
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
        <TextField
          size="small"
          label="Subject"
          value={subject}
          onChange={(event) => setSubject(event.target.value.replace(/[\r\n]+/g, ' '))}
          slotProps={{ htmlInput: { maxLength: 200 } }}
        />
        <TextField
          size="small"
          label="Text"
          value={text}
          onChange={(event) => setText(event.target.value)}
          multiline
          minRows={8}
          maxRows={18}
          autoFocus
          helperText={
            <>
              Signed by <VisibleText text={signatureText(signature)} />
            </>
          }
          slotProps={{ htmlInput: { maxLength: 20_000 } }}
        />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button onClick={onClose} disabled={isBusy}>
          Cancel
        </Button>
        <span title={missing}>
          <Button variant="contained" loading={isBusy} disabled={missing !== undefined} onClick={() => void send()}>
            Send
          </Button>
        </span>
      </DialogActions>
    </>
  );
}
