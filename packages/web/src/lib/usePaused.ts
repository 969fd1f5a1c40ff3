import { useEffect, useState } from 'react';

const pauseMs = 400;

/** The value after a pause, so that not every key press calls the server. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
