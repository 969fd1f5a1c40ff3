/** State of a connection as icon and label; colour is secondary. */
import { styled } from '@mui/material/styles';
import type { ConnectionState as State } from '@parapet/contract/connections.ts';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { palette } from '../../../kit/palette.ts';

const shown: Record<State, [label: string, icon: typeof ScheduleRounded, description: string]> = {
  waiting: ['Waiting for first events', HourglassEmptyRounded, 'The first pull starts within a minute.'],
  receiving: ['Receiving', CheckCircleOutlineRounded, 'The last pull succeeded.'],
  retrying: ['Retrying', ScheduleRounded, 'The last pull failed. The portal tries again.'],
  stopped: ['Stopped: access refused', ErrorOutlineRounded, 'No events until access is granted again.'],
  paused: ['Paused', PauseCircleOutlineRounded, 'No events while paused.'],
};

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  '& svg': { fontSize: 16, flex: 'none', color: palette.text.secondary },
  '&[data-state=receiving] svg': { color: palette.success.main },
  '&[data-state=retrying] svg': { color: palette.warning.main },
  '&[data-state=stopped] svg': { color: palette.error.main },
});

/** Feeds have no events. */
const ofFeeds: Partial<Record<State, [label: string, description: string]>> = {
  waiting: ['Waiting for the first read', 'The first read starts within a minute.'],
  receiving: ['Reading', 'The last read succeeded.'],
  retrying: ['Retrying', 'The last read failed. The portal tries again.'],
  paused: ['Paused', 'Nothing is read while paused.'],
};

/** Devices send, the portal listens. */
const ofListeners: Partial<Record<State, [label: string, description: string]>> = {
  waiting: ['Waiting for first messages', 'The portal listens from within a minute.'],
  receiving: ['Listening', 'Messages are accepted.'],
  retrying: ['Can’t listen', 'The port can’t be opened. The portal tries again.'],
  paused: ['Paused', 'The port is closed while paused.'],
};

export type Sort = 'feed' | 'listener' | undefined;

export function ConnectionState({ state, sort }: { state: State; sort: Sort }) {
  const [ofConnection, Icon, about] = shown[state];
  const own = sort === 'feed' ? ofFeeds[state] : sort === 'listener' ? ofListeners[state] : undefined;
  const [label, description] = own ?? [ofConnection, about];
  return (
    <Line data-state={state} title={description}>
      <Icon aria-hidden />
      {label}
    </Line>
  );
}
