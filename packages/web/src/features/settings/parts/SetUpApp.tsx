/** Sets up an authenticator app: scan, first code, then the recovery codes. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { type SyntheticEvent, useId, useState } from 'react';
import { call } from '../../../lib/call.ts';
import { codeFault, codeOf, refusalOf } from '../../auth/mfa.ts';
import { SecretToScan } from '../../auth/parts/Enrolment.tsx';
import { useFactorAction } from '../useFactorAction.ts';
import { Stack } from './looks.ts';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';

export type Enrolment = AnswerOf<typeof secondFactorApi.startAuthenticator>;

export function SetUpApp({ enrolment, onClose }: { enrolment: Enrolment; onClose: () => void }) {
  const id = useId();
  const { isBusy, run } = useFactorAction();
  const [code, setCode] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>();
  const fault = codeFault(code);

  const confirm = (event: SyntheticEvent) => {
    event.preventDefault();
    if (fault !== undefined || isBusy) return;
    void run(async () => {
      try {
        const answer = await call(secondFactorApi.confirmAuthenticator, { body: { nonce: enrolment.nonce, code } });
        setRecoveryCodes(answer.recoveryCodes);
      } catch (error) {
        const { kind, text } = refusalOf(error);
        if (kind === 'restart') throw error;
        setRefusal(text);
      }
    });
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
          <Button type="submit" variant="contained" loading={isBusy} disabled={fault !== undefined}>
            Turn on
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
