/** State and executor of a request: icon with label. */
import { styled } from '@mui/material/styles';
import type { Response } from '@parapet/contract/caseDetail.ts';
import type { ResponseRow } from '@parapet/contract/responseRequests.ts';
import { BackHandOutlined } from '../../../kit/icons/BackHandOutlined.tsx';
import { CloudOutlined } from '../../../kit/icons/CloudOutlined.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { MemoryRounded } from '../../../kit/icons/MemoryRounded.tsx';
import { SendOutlined } from '../../../kit/icons/SendOutlined.tsx';
import { TaskAltRounded } from '../../../kit/icons/TaskAltRounded.tsx';
import { ThumbUpAltOutlined } from '../../../kit/icons/ThumbUpAltOutlined.tsx';
import { TimerOffOutlined } from '../../../kit/icons/TimerOffOutlined.tsx';
import { UndoRounded } from '../../../kit/icons/UndoRounded.tsx';
import { VerifiedOutlined } from '../../../kit/icons/VerifiedOutlined.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { isHeld, isPending, stateText } from '../responseTexts.ts';

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  minWidth: 0,
  whiteSpace: 'nowrap',
  '& > svg': { flex: 'none', fontSize: 16, color: palette.text.secondary },
  '& > span': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '&[data-over]': { color: palette.text.secondary },
});

const icons: Record<Response['state'], typeof SendOutlined> = {
  requested: HourglassEmptyRounded,
  approved: ThumbUpAltOutlined,
  sent: SendOutlined,
  acknowledged: TaskAltRounded,
  verified: VerifiedOutlined,
  failed: ErrorOutlineRounded,
  expired: TimerOffOutlined,
  released: UndoRounded,
};

export function StateIcon({ state }: { state: Response['state'] }) {
  const Icon = icons[state];
  return <Icon aria-hidden sx={{ fontSize: 16, color: 'text.secondary' }} />;
}

export const StateMark = ({ state }: { state: Response['state'] }) => (
  <Line title={stateText[state].meaning} data-over={state === 'released' || state === 'expired' || undefined}>
    <StateIcon state={state} />
    <span>{stateText[state].word}</span>
  </Line>
);

const vias: Record<ResponseRow['via'], [label: string, icon: typeof MemoryRounded, description: string]> = {
  agent: ['Agent', MemoryRounded, 'Executed by the agent'],
  vendor: ['Connection', CloudOutlined, 'Executed by a connected service of the client'],
  manual: ['Manual', BackHandOutlined, 'Executed and confirmed manually'],
};

export function ViaMark({ via }: { via: ResponseRow['via'] }) {
  const [label, Icon, description] = vias[via];
  return (
    <Line title={description}>
      <Icon aria-hidden />
      <span>{label}</span>
    </Line>
  );
}

/** Next automatic step with its time; nothing for finished requests. */
export function NextByItself({ row, timeZone }: { row: ResponseRow; timeZone: string }) {
  if (row.releaseAt && isHeld(row.state))
    return (
      <>
        Released <RelativeTime at={row.releaseAt} timeZone={timeZone} />
      </>
    );
  if (isPending(row.state))
    return (
      <>
        Expires <RelativeTime at={row.expiresAt} timeZone={timeZone} />
      </>
    );
  return null;
}
