/** The first row of every page: its title, its purpose in one line, its primary action at the right. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

interface Props {
  title: ReactNode;
  /** One line: what this page is for, or what it shows right now. */
  purpose?: ReactNode;
  /** Above the title: the way back, a severity, a number. */
  above?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, purpose, above, actions }: Props) {
  return (
    <Box
      component="header"
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'flex-start',
        gap: 2,
        rowGap: 1,
        mb: 2,
        'html[data-density=compact] &': { mb: 1, alignItems: 'center' },
      }}
    >
      <Box
        sx={{
          flex: '1 1 320px',
          minWidth: 0,
          // Title and purpose on one line.
          'html[data-density=compact] &': { display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 1.5 },
          'html[data-density=compact] & > h1': { fontSize: 20, lineHeight: '28px' },
        }}
      >
        {above && <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 0.5 }}>{above}</Box>}
        <Typography
          component="h1"
          sx={{ fontSize: 24, lineHeight: '32px', fontWeight: 650, letterSpacing: '-0.01em', overflowWrap: 'anywhere' }}
        >
          {title}
        </Typography>
        {purpose && <Typography sx={{ fontSize: 14, color: 'text.secondary', overflowWrap: 'anywhere' }}>{purpose}</Typography>}
      </Box>
      {actions && <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>{actions}</Box>}
    </Box>
  );
}
