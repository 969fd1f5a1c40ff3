/** Reason for access as a choice with details. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import {
  type AccessReason,
  accessReasons,
  accessReasonTexts,
  maxReasonText,
  type SensitiveView,
} from '@parapet/contract/rules/client-access-log.ts';
import { type FormEvent, useState } from 'react';
import { useGiveReason } from './reasons.ts';

const Row = styled('form')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'flex-start',
  gap: 8,
  '& > .details': { flex: '1 1 160px', minWidth: 0 },
});

interface Props {
  /** Without it, for the shift. */
  view?: SensitiveView | undefined;
  given?: { reason: AccessReason | null; reasonText: string } | undefined;
  onDone?: () => void;
}

export function ReasonForm({ view, given, onDone = () => {} }: Props) {
  const [reason, setReason] = useState<AccessReason>(given?.reason ?? 'triage');
  const [text, setText] = useState(given?.reasonText ?? '');
  const [isTried, setTried] = useState(false);
  const save = useGiveReason(onDone);
  const isMissing = reason === 'other' && text.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isMissing) save.mutate({ body: { reason, text, ...(view && { view }) } });
  };
  return (
    <Row onSubmit={submit} noValidate>
      <TextField
        select
        size="small"
        label="Reason for access"
        value={reason}
        onChange={(event) => setReason(event.target.value as AccessReason)}
        sx={{ width: 180 }}
      >
        {accessReasons.map((each) => (
          <MenuItem key={each} value={each}>
            {accessReasonTexts[each]}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        className="details"
        size="small"
        label={reason === 'other' ? 'Details' : 'Details (optional)'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={isTried && isMissing}
        helperText={isTried && isMissing ? 'Enter the reason.' : undefined}
        slotProps={{ htmlInput: { maxLength: maxReasonText } }}
      />
      <Button type="submit" variant="contained" loading={save.isPending} sx={{ height: 40, whiteSpace: 'nowrap' }}>
        Give reason
      </Button>
    </Row>
  );
}
