/** Playback of an attack graph: a position from 0 to the number of its steps, and its timer. */
import { useEffect, useState } from 'react';

/** ms. */
const wholeMs = 20_000;
const stepMs = { min: 40, max: 900 };

export function usePlayback(total: number) {
  const [position, setPosition] = useState<number>();
  const [isPlaying, setPlaying] = useState(false);
  const step = Math.min(position ?? total, total);
  const isRunning = isPlaying && step < total;

  useEffect(() => {
    if (!isRunning) return;
    const pause = Math.min(stepMs.max, Math.max(stepMs.min, wholeMs / total));
    const timer = setTimeout(() => setPosition(step + 1), pause);
    return () => clearTimeout(timer);
  }, [isRunning, step, total]);

  return {
    step,
    isRunning,
    seek: (next: number) => {
      setPlaying(false);
      setPosition(next);
    },
    toggle: () => {
      setPlaying(!isRunning);
      if (!isRunning && step >= total) setPosition(0);
    },
  };
}
