/** State of a connection, feed or listener. */
import type { ConnectionState as State } from '@parapet/contract/connections.ts';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { StateLabel, type Tone } from '../../../kit/StateLabel.tsx';

const shown: Record<State, [label: string, icon: typeof ScheduleRounded, tone: Tone, description: string]> = {
  waiting: ['Waiting for first events', HourglassEmptyRounded, 'plain', 'The first pull starts within a minute.'],
  receiving: ['Receiving', CheckCircleOutlineRounded, 'good', 'The last pull succeeded.'],
  retrying: ['Retrying', ScheduleRounded, 'warning', 'The last pull failed. The portal tries again.'],
  stopped: ['Stopped: access refused', ErrorOutlineRounded, 'bad', 'No events until access is granted again.'],
  paused: ['Paused', PauseCircleOutlineRounded, 'plain', 'No events while paused.'],
};

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
  const [ofConnection, icon, tone, about] = shown[state];
  const own = sort === 'feed' ? ofFeeds[state] : sort === 'listener' ? ofListeners[state] : undefined;
  const [label, description] = own ?? [ofConnection, about];
  return <StateLabel icon={icon} tone={tone} label={label} description={description} />;
}
