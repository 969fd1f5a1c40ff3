/** A time as "5 min ago", the absolute one on hover. One clock ticks for all of them, and only while one is on the screen. */
import { useSyncExternalStore } from 'react';
import { absoluteTime, relativeTime } from './time.ts';

const tickMs = 15_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function snapshot(): number {
  if (timer === undefined) now = Date.now();
  return now;
}

/** A text that changes with the time of day, such as what is left of a deadline. */
export const useTick = (text: (now: number) => string): string => useSyncExternalStore(subscribe, () => text(snapshot()));

interface Props {
  /** ISO 8601. */
  at: string;
  /** The viewer's zone; the browser's when absent. */
  timeZone?: string | undefined;
}

export function RelativeTime({ at, timeZone }: Props) {
  // A time that arrives between two ticks may be newer than the last tick, without being in the future.
  const ms = Date.parse(at);
  const text = useTick((now) => relativeTime(ms, Math.max(now, Math.min(ms, now + tickMs)), timeZone));
  return (
    <time dateTime={at} title={absoluteTime(ms, timeZone)}>
      {text}
    </time>
  );
}

/** "Never" without a time. */
export const TimeOrNever = ({ at, timeZone }: Omit<Props, 'at'> & { at: string | null | undefined }) =>
  at ? <RelativeTime at={at} timeZone={timeZone} /> : 'Never';

/** The absolute time, for headers and facts. */
export function AbsoluteTime({ at, timeZone }: Props) {
  return <time dateTime={at}>{absoluteTime(Date.parse(at), timeZone)}</time>;
}
