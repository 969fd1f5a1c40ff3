/** State of a webhook as icon and label; colour is secondary. */
import { styled } from '@mui/material/styles';
import type { WebhookSource } from '@parapet/contract/webhookSources.ts';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { palette } from '../../../kit/palette.ts';

type State = WebhookSource['state'];

const shown: Record<State, [label: string, icon: typeof ErrorOutlineRounded, description: string]> = {
  waiting: ['Waiting for first events', HourglassEmptyRounded, 'No request was accepted yet.'],
  receiving: ['Receiving', CheckCircleOutlineRounded, 'The last request was stored.'],
  refusing: ['Refusing', ErrorOutlineRounded, 'Something in the last request was refused.'],
  paused: ['Paused', PauseCircleOutlineRounded, 'Requests are refused while paused.'],
};

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  '& svg': { fontSize: 16, flex: 'none', color: palette.text.secondary },
  '&[data-state=receiving] svg': { color: palette.success.main },
  '&[data-state=refusing] svg': { color: palette.warning.main },
});

export function WebhookState({ state }: { state: State }) {
  const [label, Icon, description] = shown[state];
  return (
    <Line data-state={state} title={description}>
      <Icon aria-hidden />
      {label}
    </Line>
  );
}
