/** Requests a reset link (spec §2.3). The response is the same for known and unknown accounts. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type SyntheticEvent, useState } from 'react';
import { call } from '../../../lib/call.ts';
import { endpointDescriptors, limits, tooShort } from '../../../lib/endpointDescriptors.ts';
import { toast } from '../../../lib/toast.ts';
import { AuthField } from './AuthField.tsx';

export function ForgotPassword({ email: typed, onClose }: { email: string; onClose: () => void }) {
  const [email, setEmail] = useState(typed);
  const [hasLeft, setLeft] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isValid = email.trim().length >= limits.emailMinLength;

  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isValid || isBusy) return;
    setBusy(true);
    try {
      await call(endpointDescriptors.forgotPassword, { params: { resetEmail: email.trim() } });
      toast.success('Reset email has been sent', 'user');
      onClose();
    } catch (error) {
      toast.error('Failed to send reset email', 'user');
      setRefusal(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby="forgot-title" maxWidth="xs" fullWidth>
      <form onSubmit={send} noValidate>
        <DialogTitle id="forgot-title" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
          Forgot Password
        </DialogTitle>
        <DialogContent>
          <p style={{ margin: '0 0 16px' }} id="forgot-help">
            Enter the email address you sign in with. We’ll send it a link to set a new password.
          </p>
          <AuthField
            name="resetEmail"
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            help="forgot-help"
            value={email}
            error={refusal ?? (hasLeft && !isValid ? tooShort(limits.emailMinLength) : undefined)}
            onChange={(value) => {
              setEmail(value);
              setRefusal(undefined);
            }}
            onLeave={() => setLeft(email !== '' || hasLeft)}
          />
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={!isValid} loading={isBusy}>
            Send Email
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
