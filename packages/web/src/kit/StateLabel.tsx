/** State as icon and label; colour is secondary. */
import { styled } from '@mui/material/styles';
import type { ComponentType } from 'react';
import { palette } from './palette.ts';

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  '& svg': { fontSize: 16, flex: 'none', color: palette.text.secondary },
  '&[data-tone=good] svg': { color: palette.success.main },
  '&[data-tone=warning] svg': { color: palette.warning.main },
  '&[data-tone=bad] svg': { color: palette.error.main },
});

export type Tone = 'good' | 'warning' | 'bad' | 'plain';

interface Props {
  icon: ComponentType<{ 'aria-hidden': true }>;
  tone: Tone;
  label: string;
  description?: string;
}

export function StateLabel({ icon: Icon, tone, label, description }: Props) {
  return (
    <Line data-tone={tone} title={description}>
      <Icon aria-hidden />
      {label}
    </Line>
  );
}
