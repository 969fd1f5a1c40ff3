/** Confirms a new version: comment and difference. */
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { Modal } from '../../../kit/Modal.tsx';
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
    <Modal
      title={title}
      onClose={isBusy ? undefined : onClose}
      maxWidth="md"
      sx={{ display: 'grid', gap: 2, '& > *': { minWidth: 0 } }}
      actions={
        <>
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
        </>
      }
    >
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
    </Modal>
  );
}
