/** State of a target or a delivery as icon and label; colour is secondary. */
import { styled } from '@mui/material/styles';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { type DeliveryState, deliveryStates } from '@parapet/contract/rules/deliveries.ts';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { palette } from '../../../kit/palette.ts';

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  '& svg': { fontSize: 16, flex: 'none', color: palette.text.secondary },
  '&[data-tone=good] svg': { color: palette.success.main },
  '&[data-tone=warning] svg': { color: palette.warning.main },
  '&[data-tone=bad] svg': { color: palette.error.main },
});

type Tone = 'good' | 'warning' | 'bad' | 'plain';
type Shown = [icon: typeof ScheduleRounded, tone: Tone];

const ofDelivery: Record<DeliveryState, Shown> = {
  queued: [HourglassEmptyRounded, 'plain'],
  sent: [ScheduleRounded, 'plain'],
  accepted: [CheckCircleOutlineRounded, 'good'],
  failed: [ScheduleRounded, 'warning'],
  givenUp: [ErrorOutlineRounded, 'bad'],
  notNeeded: [CheckCircleOutlineRounded, 'plain'],
};
const ofTarget: Record<DeliveryTarget['state'], [...Shown, label: string]> = {
  new: [HourglassEmptyRounded, 'plain', 'Nothing sent yet'],
  working: [CheckCircleOutlineRounded, 'good', 'Working'],
  failing: [ErrorOutlineRounded, 'bad', 'Failing'],
  paused: [PauseCircleOutlineRounded, 'plain', 'Paused'],
};

export function DeliveryMark({ state }: { state: DeliveryState }) {
  const [Icon, tone] = ofDelivery[state];
  return (
    <Line data-tone={tone}>
      <Icon aria-hidden />
      {deliveryStates.find(({ value }) => value === state)!.label}
    </Line>
  );
}

export function TargetMark({ state }: { state: DeliveryTarget['state'] }) {
  const [Icon, tone, label] = ofTarget[state];
  return (
    <Line data-tone={tone}>
      <Icon aria-hidden />
      {label}
    </Line>
  );
}
