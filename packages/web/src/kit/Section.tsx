/** Titled, bordered section of the alert page. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

interface Props {
  title?: string;
  /** Secondary text at the right of the title. */
  note?: ReactNode;
  /** Omits the border; the content has its own. */
  isPlain?: boolean;
  children: ReactNode;
}

export function Section({ title, note, isPlain = false, children }: Props) {
  const id = useId();
  return (
    <Box component="section" aria-labelledby={title ? id : undefined} sx={{ minWidth: 0 }}>
      {title && (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: '0 12px', mb: 1 }}>
          <Typography id={id} component="h2" sx={{ fontSize: 16, lineHeight: '24px', fontWeight: 600 }}>
            {title}
          </Typography>
          {note && (
            <Typography component="span" sx={{ fontSize: 12, color: 'text.secondary' }}>
              {note}
            </Typography>
          )}
        </Box>
      )}
      {isPlain ? (
        children
      ) : (
        <Box
          sx={{ border: '1px solid', borderColor: 'divider', borderRadius: 1, bgcolor: 'background.paper', p: 2, minWidth: 0 }}
        >
          {children}
        </Box>
      )}
    </Box>
  );
}
