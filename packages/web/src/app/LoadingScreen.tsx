/** The loading screen (spec §2.2). Matches the splash of index.html, which it replaces without a layout shift. */
import { styled } from '@mui/material/styles';
import { palette } from '../kit/palette.ts';

const Screen = styled('div')({
  display: 'grid',
  placeContent: 'center',
  justifyItems: 'center',
  gap: 16,
  minHeight: '50vh',
  color: palette.text.secondary,
});

export function LoadingScreen({ isWhole = false }: { isWhole?: boolean }) {
  if (isWhole) {
    return (
      <div className="splash" role="status">
        <i />
        Loading...
      </div>
    );
  }
  return (
    <Screen role="status" className="splash">
      <i />
      Loading...
    </Screen>
  );
}
