/** Identifiers, hashes, addresses and commands in monospace, with hidden characters visible and an optional copy button. */
import Box from '@mui/material/Box';
import type { ComponentProps } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { type Range, VisibleText } from './VisibleText.tsx';

export const MonoText = ({ className = '', ...rest }: ComponentProps<'code'>) => (
  <code className={`mono ${className}`} {...rest} />
);

interface Props {
  text: string;
  /** Names the thing for the copy button: "Copy command line". Without it there is no button. */
  copyLabel?: string;
  keepLines?: boolean;
  hits?: readonly Range[];
}

export function Mono({ text, copyLabel, keepLines = false, hits }: Props) {
  const shown = (
    <MonoText>
      <VisibleText text={text} keepLines={keepLines} {...(hits ? { hits } : {})} />
    </MonoText>
  );
  if (!copyLabel) return shown;
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'flex-start', gap: 0.25, maxWidth: '100%', minWidth: 0 }}>
      {shown}
      <Box component="span" sx={{ flex: 'none', my: '-3px' }}>
        <CopyButton text={text} label={copyLabel} size={13} />
      </Box>
    </Box>
  );
}
