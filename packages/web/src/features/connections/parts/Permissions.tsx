/** Permissions that a consent grants, with the data that each opens. */
import { styled } from '@mui/material/styles';
import type { connectionPermission } from '@parapet/contract/connections.ts';
import type { z } from 'zod';
import { palette } from '../../../kit/palette.ts';

const Box = styled('section')({
  padding: '12px 14px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  '& h3': { margin: '0 0 6px', fontSize: 13, fontWeight: 600 },
  '& ul': { listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: 8 },
  '& li': { overflowWrap: 'anywhere' },
  '& small': { display: 'block', fontSize: 12, color: palette.text.secondary },
});

export function Permissions({ permissions }: { permissions: readonly z.infer<typeof connectionPermission>[] }) {
  return (
    <Box aria-label="Permissions">
      <h3>The connection reads</h3>
      <ul>
        {permissions.map(({ api, name, opens }) => (
          <li key={name}>
            {opens}
            <small>
              {api}: {name}
            </small>
          </li>
        ))}
      </ul>
    </Box>
  );
}
