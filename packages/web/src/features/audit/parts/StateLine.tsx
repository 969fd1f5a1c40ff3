/** A state of the audit log in one line below its title, with an icon. */
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

export const StateLine = ({ icon, title, children }: { icon: ReactNode; title?: string; children: ReactNode }) => (
  <Box
    title={title}
    sx={{
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      columnGap: 0.5,
      mt: -1,
      mb: 2,
      fontSize: 13,
      color: 'text.secondary',
      '& > svg': { fontSize: 16 },
    }}
  >
    {icon}
    {children}
  </Box>
);
