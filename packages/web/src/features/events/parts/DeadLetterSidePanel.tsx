/** One thing that was kept aside: why, and what was sent, as it was sent. */
import { styled } from '@mui/material/styles';
import type { DeadLetter } from '@parapet/contract/events.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { reasonLabel } from '../../../lib/intake.ts';

const Raw = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    marginTop: 4,
    padding: '8px 10px',
    fontSize: 13,
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
    backgroundColor: palette.background.default,
  };
});

interface Props {
  /** What the address names; undefined for nothing. */
  id: string | undefined;
  row: DeadLetter | undefined;
  isLoading: boolean;
  timeZone: string;
  onClose: () => void;
}

export function DeadLetterSidePanel({ id, row, isLoading, timeZone, onClose }: Props) {
  const sent = row && [...row.raw].length;
  return (
    <SidePanel isOpen={id !== undefined && (row !== undefined || !isLoading)} title="Kept aside" onClose={onClose}>
      {row ? (
        <DefinitionList
          minWidth={160}
          facts={[
            { name: 'Reason', value: <VisibleText text={reasonLabel(row.reason)} />, isWide: true },
            { name: 'Arrived', value: <AbsoluteTime at={row.receivedAt} timeZone={timeZone} /> },
            { name: 'Step of the intake', value: row.step },
            { name: 'Client', value: <VisibleText text={row.clientOrganizationName} /> },
            {
              name:
                sent !== undefined && sent < row.length
                  ? `What was sent: the first ${exact(sent)} of ${exact(row.length)} characters`
                  : 'What was sent',
              value: <Raw>{row.raw === '' ? 'Nothing' : <Mono text={row.raw} keepLines />}</Raw>,
              isWide: true,
            },
          ]}
        />
      ) : (
        <EmptyState title="This is not on this page" text="It is older, newer, or left out by a filter." />
      )}
    </SidePanel>
  );
}
