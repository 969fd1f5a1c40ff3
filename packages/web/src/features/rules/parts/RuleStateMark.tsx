/** State of a rule: an icon and its name. */
import { styled } from '@mui/material/styles';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { DescriptionOutlined } from '../../../kit/icons/DescriptionOutlined.tsx';
import { FactCheckOutlined } from '../../../kit/icons/FactCheckOutlined.tsx';
import { HighlightOffRounded } from '../../../kit/icons/HighlightOffRounded.tsx';
import { InboxRounded } from '../../../kit/icons/InboxRounded.tsx';
import { VisibilityOutlined } from '../../../kit/icons/VisibilityOutlined.tsx';
import { WarningAmberRounded } from '../../../kit/icons/WarningAmberRounded.tsx';
import { type ShownState, stateLabel, stateText } from '../rules.ts';

const icons = {
  draft: DescriptionOutlined,
  tested: FactCheckOutlined,
  shadow: VisibilityOutlined,
  live: CheckCircleOutlineRounded,
  retired: InboxRounded,
  off: HighlightOffRounded,
  fault: WarningAmberRounded,
} as const;
const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  whiteSpace: 'nowrap',
  '& svg': { fontSize: 16 },
});

export function RuleStateMark({ state }: { state: ShownState }) {
  const Icon = icons[state];
  return (
    <Line title={stateText[state]}>
      <Icon aria-hidden color={state === 'off' ? 'disabled' : state === 'fault' ? 'warning' : 'action'} />
      {stateLabel[state]}
    </Line>
  );
}
