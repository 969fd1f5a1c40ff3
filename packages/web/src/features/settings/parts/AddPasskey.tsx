/** Adds a passkey for the host of this page: its name, then the browser's own dialog. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { type SyntheticEvent, useId, useState } from 'react';
import { MonoText } from '../../../kit/Mono.tsx';
import { call } from '../../../lib/call.ts';
import { isDismissed, makePasskey } from '../../../lib/passkeys.ts';
import { toast } from '../../../lib/toast.ts';
import { browserName } from '../browserName.ts';
import { useFactorAction } from '../useFactorAction.ts';
import { Stack } from './looks.ts';

export function AddPasskey({ host, onClose }: { host: string; onClose: () => void }) {
  const id = useId();
  const { isBusy, run } = useFactorAction();
  const [name, setName] = useState(() => browserName(navigator.userAgent));
  const [refusal, setRefusal] = useState<string>();

  const add = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isBusy || name.trim() === '') return;
    setRefusal(undefined);
    void run(async () => {
      try {
        const passkey = await makePasskey(await call(secondFactorApi.startPasskey, {}));
        await call(secondFactorApi.addPasskey, { body: { name: name.trim(), passkey } });
        toast.success('The passkey was added', 'user');
        onClose();
      } catch (error) {
        if (isDismissed(error)) setRefusal('The browser made no passkey. Try again.');
        else if (error instanceof Error && error.name === 'InvalidStateError')
          setRefusal('This device has a passkey here already.');
        else throw error;
      }
    });
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="xs" fullWidth>
      <form onSubmit={add} noValidate>
        <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
          Add passkey
        </DialogTitle>
        <DialogContent>
          <Stack>
            <div>
              It will work at <MonoText>{host}</MonoText> only. Your browser asks where to keep it.
            </div>
            <TextField
              label="Name"
              size="small"
              fullWidth
              autoFocus
              required
              value={name}
              error={refusal !== undefined}
              helperText={refusal ?? 'Such as: work laptop'}
              onChange={(event) => setName(event.target.value)}
              slotProps={{ htmlInput: { maxLength: 100, required: false } }}
            />
          </Stack>
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="contained" loading={isBusy} disabled={name.trim() === ''}>
            Add passkey
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
