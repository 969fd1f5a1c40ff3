/** State of a target or a delivery. */
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { type DeliveryState, deliveryStates } from '@parapet/contract/rules/deliveries.ts';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { StateLabel, type Tone } from '../../../kit/StateLabel.tsx';

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
  const [icon, tone] = ofDelivery[state];
  return <StateLabel icon={icon} tone={tone} label={deliveryStates.find(({ value }) => value === state)!.label} />;
}

export function TargetMark({ state }: { state: DeliveryTarget['state'] }) {
  const [icon, tone, label] = ofTarget[state];
  return <StateLabel icon={icon} tone={tone} label={label} />;
}
