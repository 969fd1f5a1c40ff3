import { useEffect, useState } from 'react';

const pauseMs = 400;

/** The same a moment later, so that not each letter asks the server. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
