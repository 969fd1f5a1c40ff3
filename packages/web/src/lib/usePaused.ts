import { useEffect, useState } from 'react';

/** The value after a pause, so that not every key press calls the server. */
export function usePaused(text: string, pauseMs = 400): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, pauseMs]);
  return paused;
}
