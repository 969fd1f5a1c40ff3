/** State of a source or collector as icon and label; colour is secondary. */
import { styled } from '@mui/material/styles';
import type { Collector } from '@parapet/contract/agents.ts';
import type { DeviceState } from '@parapet/contract/devices.ts';
import { BlockRounded } from '../../../kit/icons/BlockRounded.tsx';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { RadioButtonUncheckedRounded } from '../../../kit/icons/RadioButtonUncheckedRounded.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { palette } from '../../../kit/palette.ts';

export type SourceStateName = DeviceState | Collector['state'];

export const stateLabel: Record<SourceStateName, string> = {
  reporting: 'Reporting',
  online: 'Online',
  stale: 'Stale',
  silent: 'Silent',
  never: 'Never sent',
  revoked: 'Revoked',
};
const descriptions: Record<SourceStateName, string> = {
  reporting: 'Sending events as expected.',
  online: 'Recently seen.',
  stale: 'No events for longer than expected.',
  silent: 'Events are long overdue.',
  never: 'Seen in other sources’ events only.',
  revoked: 'Its key was revoked.',
};
const icons: Record<SourceStateName, typeof BlockRounded> = {
  reporting: CheckCircleOutlineRounded,
  online: CheckCircleOutlineRounded,
  stale: ScheduleRounded,
  silent: ErrorOutlineRounded,
  never: RadioButtonUncheckedRounded,
  revoked: BlockRounded,
};

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  whiteSpace: 'nowrap',
  '& svg': { fontSize: 16, color: palette.text.secondary },
  '&[data-state=reporting] svg, &[data-state=online] svg': { color: palette.success.main },
  '&[data-state=stale] svg': { color: palette.warning.main },
  '&[data-state=silent] svg': { color: palette.error.main },
  '& .more': { fontSize: 12, color: palette.text.secondary },
});

/** Duration, for example "5.5 h" or "12 d". */
export const hoursText = (hours: number): string =>
  hours < 1 ? '< 1 h' : hours < 48 ? `${Math.floor(hours * 10) / 10} h` : `${Math.floor(hours / 24)} d`;

/** `hours` since the newest event; shown for stale and silent sources. */
export function SourceState({ state, hours }: { state: SourceStateName; hours?: number | null }) {
  const Icon = icons[state];
  const isQuiet = (state === 'stale' || state === 'silent') && typeof hours === 'number';
  return (
    <Line data-state={state} title={descriptions[state]}>
      <Icon aria-hidden />
      {stateLabel[state]}
      {isQuiet && <span className="more">for {hoursText(hours)}</span>}
    </Line>
  );
}
