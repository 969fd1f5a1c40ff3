/** State of a webhook. */
import type { WebhookSource } from '@parapet/contract/webhookSources.ts';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { StateLabel, type Tone } from '../../../kit/StateLabel.tsx';

type State = WebhookSource['state'];

const shown: Record<State, [label: string, icon: typeof ErrorOutlineRounded, tone: Tone, description: string]> = {
  waiting: ['Waiting for first events', HourglassEmptyRounded, 'plain', 'No request was accepted yet.'],
  receiving: ['Receiving', CheckCircleOutlineRounded, 'good', 'The last request was stored.'],
  refusing: ['Refusing', ErrorOutlineRounded, 'warning', 'Something in the last request was refused.'],
  paused: ['Paused', PauseCircleOutlineRounded, 'plain', 'Requests are refused while paused.'],
};

export function WebhookState({ state }: { state: State }) {
  const [label, icon, tone, description] = shown[state];
  return <StateLabel icon={icon} tone={tone} label={label} description={description} />;
}
