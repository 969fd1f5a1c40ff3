/** Adds a passkey for the current host: its name, then the browser’s dialog. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { type SyntheticEvent, useId, useState } from 'react';
import { MonoText } from '../../../kit/Mono.tsx';
import { isDismissed, makePasskey } from '../../../lib/passkeys.ts';
import { toast } from '../../../lib/toast.ts';
import { useAddPasskey, useStartPasskey } from '../account.queries.ts';
import { browserName } from '../browserName.ts';
import { Stack } from './settings.styles.ts';

export function AddPasskey({ host, onClose }: { host: string; onClose: () => void }) {
  const id = useId();
  const [start, addPasskey] = [useStartPasskey(), useAddPasskey()];
  const [isBusy, setBusy] = useState(false);
  const [name, setName] = useState(() => browserName(navigator.userAgent));
  const [refusal, setRefusal] = useState<string>();

  const add = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (isBusy || name.trim() === '') return;
    setRefusal(undefined);
    setBusy(true);
    try {
      const passkey = await makePasskey(await start.mutateAsync({}));
      await addPasskey.mutateAsync({ body: { name: name.trim(), passkey } });
      onClose();
    } catch (error) {
      if (isDismissed(error)) setRefusal('The browser created no passkey. Try again.');
      else if (error instanceof Error && error.name === 'InvalidStateError')
        setRefusal('This device already has a passkey here.');
      else toast.error(error instanceof Error ? error.message : 'Couldn’t add the passkey.', 'user');
    }
    setBusy(false);
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="xs" fullWidth>
      <form onSubmit={(event) => void add(event)} noValidate>
        <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
          Add passkey
        </DialogTitle>
        <DialogContent>
          <Stack>
            <div>
              It will work at <MonoText>{host}</MonoText> only. Your browser asks where to store it.
            </div>
            <TextField
              label="Name"
              size="small"
              fullWidth
              autoFocus
              required
              value={name}
              error={refusal !== undefined}
              helperText={refusal ?? 'For example: work laptop'}
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
