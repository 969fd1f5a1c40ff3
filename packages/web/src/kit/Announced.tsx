/** Speaks to screen readers only. */
import { styled } from '@mui/material/styles';

export const Hidden = styled('span')({
  position: 'absolute',
  width: 1,
  height: 1,
  margin: -1,
  padding: 0,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
  border: 0,
});

export function Announced({ text }: { text: string }) {
  return (
    <Hidden role="status" aria-live="polite">
      {text}
    </Hidden>
  );
}
