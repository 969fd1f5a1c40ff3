/** Copies a text and announces it on screen and to screen readers. */
import IconButton from '@mui/material/IconButton';
import { useEffect, useState } from 'react';
import { Announced } from './Announced.tsx';
import { CheckRounded } from './icons/CheckRounded.tsx';
import { ContentCopyRounded } from './icons/ContentCopyRounded.tsx';

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

interface Props {
  /** Text to copy; a function where building it is expensive. */
  text: string | (() => string);
  /** Accessible name: "Copy the hash". */
  label: string;
  size?: number;
}

export function CopyButton({ text, label, size = 14 }: Props) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);

  return (
    <>
      <IconButton
        size="small"
        aria-label={label}
        title={state === 'copied' ? 'Copied' : state === 'failed' ? 'The browser did not allow copying' : label}
        onClick={async (event) => {
          event.stopPropagation();
          setState((await copyText(typeof text === 'function' ? text() : text)) ? 'copied' : 'failed');
        }}
        // A target of at least 24 px.
        sx={{ p: `${Math.max(5, (24 - size) / 2)}px`, color: state === 'copied' ? 'success.main' : 'text.secondary' }}
      >
        {state === 'copied' ? <CheckRounded sx={{ fontSize: size }} /> : <ContentCopyRounded sx={{ fontSize: size }} />}
      </IconButton>
      <Announced text={state === 'copied' ? 'Copied' : state === 'failed' ? 'Copying was not allowed' : ''} />
    </>
  );
}
