/** Confirms a new version: comment and difference. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { Difference } from './Difference.tsx';

interface Props {
  title: string;
  /** Current text. */
  before: string;
  after: string;
  comment?: string;
  saveText: string;
  onSave: (comment: string) => Promise<void>;
  onClose: () => void;
}

export function SaveDialog({ title, before, after, comment: first = '', saveText, onSave, onClose }: Props) {
  const [comment, setComment] = useState(first);
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog open onClose={isBusy ? undefined : onClose} aria-labelledby="save-config-title" maxWidth="md" fullWidth>
      <DialogTitle id="save-config-title" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {title}
      </DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2, '& > *': { minWidth: 0 } }}>
        <TextField
          autoFocus
          size="small"
          label="Change description"
          value={comment}
          onChange={(event) => setComment(event.target.value)}
          sx={{ mt: 1 }}
          slotProps={{ htmlInput: { maxLength: 500, autoComplete: 'off' } }}
        />
        <Difference before={before} after={after} label="Changes" />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button onClick={onClose} disabled={isBusy}>
          Cancel
        </Button>
        <Button
          variant="contained"
          loading={isBusy}
          onClick={async () => {
            setBusy(true);
            await onSave(comment);
            setBusy(false);
          }}
        >
          {saveText}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
