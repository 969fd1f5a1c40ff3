/** Sets up an authenticator app: scan, first code, recovery codes. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { type SyntheticEvent, useId, useState } from 'react';
import { toast } from '../../../lib/toast.ts';
import { codeError, codeOf, refusalOf } from '../../auth/mfa.ts';
import { SecretToScan } from '../../auth/parts/Enrolment.tsx';
import { useConfirmAuthenticator } from '../account.queries.ts';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';
import { Stack } from './settings.styles.ts';

export type Enrolment = AnswerOf<typeof secondFactorApi.startAuthenticator>;

export function SetUpApp({ enrolment, onClose }: { enrolment: Enrolment; onClose: () => void }) {
  const id = useId();
  const confirmation = useConfirmAuthenticator();
  const [code, setCode] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>();
  const isIncomplete = codeError(code) !== undefined;

  const confirm = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isIncomplete || confirmation.isPending) return;
    confirmation.mutate(
      { body: { nonce: enrolment.nonce, code } },
      {
        onSuccess: (answer) => setRecoveryCodes(answer.recoveryCodes),
        onError: (error) => {
          const { kind, text } = refusalOf(error);
          if (kind === 'restart') toast.error(error.message, 'user');
          else setRefusal(text);
        },
      },
    );
  };

  if (recoveryCodes) return <RecoveryCodesDialog codes={recoveryCodes} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="xs" fullWidth>
      <form onSubmit={confirm} noValidate>
        <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
          Set up authenticator app
        </DialogTitle>
        <DialogContent>
          <Stack>
            <div>
              Scan this code with your authenticator app, or type the secret. Then enter the six digits that the app shows.
            </div>
            <div style={{ display: 'flex', flexDirection: 'column', gap: 12 }}>
              <SecretToScan {...enrolment} />
            </div>
            <TextField
              label="Code"
              size="small"
              fullWidth
              autoFocus
              value={code}
              error={refusal !== undefined}
              helperText={refusal}
              onChange={(event) => {
                setCode(codeOf(event.target.value));
                setRefusal(undefined);
              }}
              slotProps={{ htmlInput: { inputMode: 'numeric', autoComplete: 'one-time-code', spellCheck: false } }}
            />
          </Stack>
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="contained" loading={confirmation.isPending} disabled={isIncomplete}>
            Turn on
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
