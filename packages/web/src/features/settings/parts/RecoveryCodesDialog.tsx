/** New recovery codes, shown once, with copy and download buttons. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Note } from '../../../kit/Note.tsx';
import { palette } from '../../../kit/palette.ts';
import { saveFile } from '../../../kit/saveFile.ts';
import { currentBrand } from '../../../lib/brand.ts';
import { useScope } from '../../../lib/scope.ts';
import { Stack } from './settings.styles.ts';

const Codes = styled('ol')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(100px, 1fr))',
  gap: '8px 12px',
  margin: 0,
  padding: 16,
  listStyle: 'none',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.default,
  fontFamily: 'var(--font-mono)',
  fontSize: 14,
  textAlign: 'center',
});

export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { user } = useScope();
  const text = codes.join('\n');
  const download = () => {
    const lines = [
      `Recovery codes of ${user.emailAddress} for ${currentBrand().name} (${location.host})`,
      'Each works once.',
      '',
      text,
    ];
    saveFile(new Blob([`${lines.join('\n')}\n`], { type: 'text/plain' }), 'recovery-codes.txt');
  };
  return (
    // Only the button closes the dialog, so that the codes aren’t lost by accident.
    <Modal
      title="Save your recovery codes"
      onClose={undefined}
      maxWidth="xs"
      actions={
        <Button variant="contained" onClick={onClose}>
          I have saved them
        </Button>
      }
    >
      <Stack>
        <Note tone="warning">Save them now. They won’t be shown again. Each signs you in once if you lose your phone.</Note>
        <Codes aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </Codes>
        <div style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
          <Button variant="outlined" onClick={download}>
            Download
          </Button>
          <CopyButton text={text} label="Copy codes" />
        </div>
      </Stack>
    </Modal>
  );
}
