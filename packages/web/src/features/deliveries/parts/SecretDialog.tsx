/** A signing secret, shown once. */
import Button from '@mui/material/Button';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';

export function SecretDialog({
  secret,
  isRotated = false,
  onClose,
}: {
  secret: string;
  isRotated?: boolean;
  onClose: () => void;
}) {
  return (
    <Modal
      title={isRotated ? 'Signing secret rotated' : 'Signing secret'}
      onClose={undefined}
      actions={
        <Button variant="contained" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <Note tone="warning">
        Copy it now. It won’t be shown again.{isRotated && ' The previous secret signs too for 24 hours.'}
      </Note>
      <p style={{ display: 'flex', alignItems: 'center', gap: 4, overflowWrap: 'anywhere' }}>
        <Mono text={secret} /> <CopyButton text={secret} label="Copy the signing secret" />
      </p>
    </Modal>
  );
}
