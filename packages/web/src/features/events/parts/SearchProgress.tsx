/** Progress of a search, which can be stopped and continued. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import { styled } from '@mui/material/styles';
import { counted } from '../../../kit/numbers.ts';
import { absoluteTime } from '../../../kit/time.ts';
import type { Slices } from '../useSlices.ts';

const Line = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 12px',
  fontSize: 13,
  fontVariantNumeric: 'tabular-nums',
});

interface Props {
  slices: Pick<Slices<unknown>, 'isRunning' | 'searchedTo' | 'stop' | 'resume'>;
  /** Events found so far. */
  count: number;
  /** "Counted" or "Searched". */
  verb: string;
  timeZone: string;
}

/** Nothing for a search that is complete, or still within its first slice. */
export function SearchProgress({ slices: { isRunning, searchedTo, stop, resume }, count, verb, timeZone }: Props) {
  if (searchedTo === undefined) return null;
  return (
    <Line role="status">
      <span>
        {verb} to {absoluteTime(Date.parse(searchedTo), timeZone)}: {counted(count, 'event')} so far
      </span>
      {isRunning && <LinearProgress aria-label={`${verb} events`} sx={{ width: 96 }} />}
      {isRunning ? (
        <Button size="small" onClick={stop}>
          Stop
        </Button>
      ) : (
        resume && (
          <Button size="small" onClick={resume}>
            Continue
          </Button>
        )
      )}
    </Line>
  );
}
