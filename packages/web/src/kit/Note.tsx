/** A remark that must not be overlooked: why something cannot be changed, what was done. */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { InfoOutlined } from './icons/InfoOutlined.tsx';
import { WarningAmberRounded } from './icons/WarningAmberRounded.tsx';
import { palette } from './palette.ts';

const Box = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 12px',
  padding: '10px 14px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  '& > svg': { fontSize: 20, flex: 'none', color: palette.text.secondary },
  '&[data-tone=warning] > svg': { color: palette.warning.main },
  '& > .text': { flex: '1 1 220px', minWidth: 0, overflowWrap: 'anywhere' },
});

interface Props {
  children: ReactNode;
  tone?: 'info' | 'warning';
  actions?: ReactNode;
  /** `alert`: announced when it appears. */
  role?: 'note' | 'alert';
}

export function Note({ children, tone = 'info', actions, role = 'note' }: Props) {
  return (
    <Box role={role} data-tone={tone}>
      {tone === 'warning' ? <WarningAmberRounded aria-hidden /> : <InfoOutlined aria-hidden />}
      <div className="text">{children}</div>
      {actions}
    </Box>
  );
}
