/** One part in its states, side by side, each under its name. */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { palette } from '../../../kit/palette.ts';

const Grid = styled('div')<{ least: number }>(({ least }) => ({
  display: 'grid',
  gridTemplateColumns: `repeat(auto-fill, minmax(min(100%, ${least}px), 1fr))`,
  gap: 16,
  marginBottom: 24,
  alignItems: 'start',
}));
const Place = styled('figure')({
  margin: 0,
  minWidth: 0,
  '& > figcaption': { marginBottom: 6, fontSize: 12, color: palette.text.secondary },
});

export function States({ of, least = 320 }: { of: Record<string, ReactNode>; least?: number }) {
  return (
    <Grid least={least}>
      {Object.entries(of).map(([name, part]) => (
        <Place key={name}>
          <figcaption>{name}</figcaption>
          {part}
        </Place>
      ))}
    </Grid>
  );
}
