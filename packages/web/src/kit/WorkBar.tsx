/** Progress of a bulk job above its list, and undo for as long as that is possible. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import { styled } from '@mui/material/styles';
import { useEffect, useState } from 'react';
import { Announced } from './Announced.tsx';
import { exact } from './numbers.ts';
import { palette } from './palette.ts';

const Line = styled('span')({
  display: 'inline-flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 10px',
  fontSize: 13,
  color: palette.text.secondary,
  fontVariantNumeric: 'tabular-nums',
  '& > .far': { minWidth: 168, display: 'grid', gap: 2 },
});

interface Props {
  /** "Marking alerts as seen". */
  text: string;
  /** Undefined until it has begun. */
  work: { total: number; changed: number; skipped: number; faults: readonly string[]; undoUntil: string | null } | undefined;
  isRunning: boolean;
  onUndo: () => void;
  /** Its time is over. */
  onEnd: () => void;
}

export function WorkBar({ text, work, isRunning, onUndo, onEnd }: Props) {
  const until = !isRunning && work?.undoUntil ? Date.parse(work.undoUntil) : undefined;
  const left = useSecondsTo(until);
  useEffect(() => {
    if (!isRunning && left <= 0) onEnd();
  }, [isRunning, left, onEnd]);
  const far = work ? work.changed + work.skipped : 0;
  const result = work && !isRunning ? resultOf(work) : '';
  return (
    <Line>
      <Announced text={isRunning ? text : result} />
      {isRunning ? (
        <span className="far">
          {text}
          {work && work.total > 0 ? `: ${exact(far)} of ${exact(work.total)}` : '…'}
          <LinearProgress
            aria-label={text}
            {...(work && work.total > 0
              ? { variant: 'determinate' as const, value: Math.min(100, (far / work.total) * 100) }
              : {})}
          />
        </span>
      ) : (
        <>
          <span title={work?.faults.join('\n')}>{result}</span>
          {left > 0 && (
            <Button size="small" variant="outlined" onClick={onUndo} sx={{ height: 32 }}>
              Undo ({left} s)
            </Button>
          )}
        </>
      )}
    </Line>
  );
}

const resultOf = ({ changed, skipped }: { changed: number; skipped: number }) =>
  `${exact(changed)} changed${skipped > 0 ? `, ${exact(skipped)} left as they were` : ''}`;

/** Whole seconds until then; the server's clock and ours may differ, so never more than ten. */
function useSecondsTo(until: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  const [begun, setBegun] = useState<{ until: number; at: number }>();
  if (until !== undefined && begun?.until !== until) setBegun({ until, at: Date.now() });
  useEffect(() => {
    if (until === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [until]);
  return begun && begun.until === until ? Math.ceil(Math.max(0, begun.at + 10_000 - Math.max(now, begun.at)) / 1000) : 0;
}
