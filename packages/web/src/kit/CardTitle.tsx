/** The first line of a row that is shown as a card: pressed, it opens the row's panel. */
import Link from '@mui/material/Link';
import type { ReactNode } from 'react';

export function CardTitle({ onPreview, children }: { onPreview: () => void; children: ReactNode }) {
  return (
    <Link
      component="button"
      type="button"
      onClick={onPreview}
      sx={{ textAlign: 'left', fontWeight: 600, overflowWrap: 'anywhere' }}
    >
      {children}
    </Link>
  );
}
