/** The start-up error page: the server failed or is unreachable (spec §4). */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { palette } from '../kit/palette.ts';

const Screen = styled('main')({
  display: 'grid',
  placeContent: 'center',
  justifyItems: 'center',
  textAlign: 'center',
  gap: 8,
  minHeight: '100vh',
  padding: 24,
  '& h1': { margin: 0, fontSize: 20, lineHeight: '28px', fontWeight: 650 },
  '& p': { margin: '0 0 8px', maxWidth: 480, color: palette.text.secondary },
});

export function StartFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Screen role="alert">
      <h1>Couldn’t start the portal</h1>
      <p>{error.message}</p>
      <Button variant="contained" onClick={onRetry}>
        Retry
      </Button>
    </Screen>
  );
}
