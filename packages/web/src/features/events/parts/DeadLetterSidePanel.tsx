/** Side panel of an unprocessed event: reason and raw input. */
import { styled } from '@mui/material/styles';
import type { DeadLetter } from '@parapet/contract/events.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { reasonLabel } from '../../../lib/intake.ts';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';

const Raw = styled('div')({
  marginTop: 4,
  padding: '8px 10px',
  fontSize: 13,
  border: `1px solid ${palette.divider}`,
  borderRadius: 6,
  backgroundColor: palette.background.default,
});

export function DeadLetterSidePanel({
  id,
  row,
  isLoading,
  timeZone,
  onClose,
}: PreviewPanel<DeadLetter, string | undefined> & { timeZone: string }) {
  const sent = row && [...row.raw].length;
  return (
    <SidePanel isOpen={id !== undefined && (row !== undefined || !isLoading)} title="Unprocessed event" onClose={onClose}>
      {row ? (
        <DefinitionList
          minWidth={160}
          facts={[
            { name: 'Reason', value: <VisibleText text={reasonLabel(row.reason)} />, isWide: true },
            { name: 'Arrived', value: <AbsoluteTime at={row.receivedAt} timeZone={timeZone} /> },
            { name: 'Pipeline step', value: row.step },
            { name: 'Client', value: <VisibleText text={row.clientOrganizationName} /> },
            {
              name:
                sent !== undefined && sent < row.length
                  ? `Input: first ${exact(sent)} of ${exact(row.length)} characters`
                  : 'Input',
              value: <Raw>{row.raw === '' ? 'Empty' : <Mono text={row.raw} keepLines />}</Raw>,
              isWide: true,
            },
          ]}
        />
      ) : (
        <EmptyState title="Event not on this page" text="It is older, newer, or filtered out." />
      )}
    </SidePanel>
  );
}
