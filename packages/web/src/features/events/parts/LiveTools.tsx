/** Switch of the live tail, and its pause. */
import Button from '@mui/material/Button';
import { PauseRounded } from '../../../kit/icons/PauseRounded.tsx';
import { PlayArrowRounded } from '../../../kit/icons/PlayArrowRounded.tsx';
import { SensorsRounded } from '../../../kit/icons/SensorsRounded.tsx';
import { exact } from '../../../kit/numbers.ts';
import { LiveMark } from '../../../lib/LiveMark.tsx';
import type { useLiveEvents } from '../useLiveEvents.ts';

interface Props {
  isOn: boolean;
  live: ReturnType<typeof useLiveEvents>;
  onToggle: () => void;
}

const look = { height: 32, color: 'text.secondary', '& .MuiButton-startIcon': { mr: 0.5 } };

export function LiveTools({ isOn, live, onToggle }: Props) {
  return (
    <>
      <Button size="small" color="inherit" aria-pressed={isOn} startIcon={<SensorsRounded />} onClick={onToggle} sx={look}>
        Live tail
      </Button>
      {isOn && (
        <>
          <Button
            size="small"
            color="inherit"
            startIcon={live.isPaused ? <PlayArrowRounded /> : <PauseRounded />}
            onClick={live.toggle}
            sx={look}
          >
            {live.isPaused ? `Resume${live.waiting > 0 ? ` (${exact(live.waiting)} new)` : ''}` : 'Pause'}
          </Button>
          <LiveMark state={live.state} what="events" />
        </>
      )}
    </>
  );
}
