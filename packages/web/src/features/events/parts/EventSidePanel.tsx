/** Side panel of an event: key facts and the whole document, whose values can become filters. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { EventRow } from '@parapet/contract/events.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { JsonViewer } from '../../../kit/JsonViewer.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { Decoded } from '../../../lib/Decoded.tsx';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';
import { EventAlerts } from './EventAlerts.tsx';

const Body = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });

const Around = styled('div')({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8, fontSize: 13 });

interface Props extends PreviewPanel<EventRow, string | undefined> {
  timeZone: string;
  onPick: (path: string, value: unknown, isExcluded: boolean) => void;
  /** Shows the events of the same device around this one. */
  onAround: (row: EventRow, minutes: number) => void;
}

export function EventSidePanel({ id, row, isLoading, timeZone, onClose, onPick, onAround }: Props) {
  return (
    <SidePanel isOpen={id !== undefined && (row !== undefined || !isLoading)} title="Event" onClose={onClose}>
      {row ? (
        <Body>
          <DefinitionList
            minWidth={160}
            facts={[
              { name: 'Message', value: <VisibleText text={row.text} keepLines />, isWide: true },
              { name: 'Happened', value: <AbsoluteTime at={row.at} timeZone={timeZone} /> },
              { name: 'Arrived', value: <AbsoluteTime at={row.receivedAt} timeZone={timeZone} /> },
              {
                name: 'Clock skew',
                value: row.clockSkew !== 'none' && 'Implausible source timestamp.',
                isWide: true,
              },
              { name: 'Device', value: row.deviceName && <VisibleText text={row.deviceName} /> },
              { name: 'User', value: row.userName && <VisibleText text={row.userName} /> },
              { name: 'Client', value: <VisibleText text={row.clientOrganizationName} /> },
              { name: 'Format', value: row.shape },
            ].map((fact) => ({ ...fact, value: fact.value || null }))}
          />
          <Around role="group" aria-label="Events around this one">
            {row.deviceName === null ? 'Around this event' : 'Around this event, same device'}
            {[1, 5, 30].map((minutes) => (
              <Button key={minutes} size="small" variant="outlined" onClick={() => onAround(row, minutes)}>
                ±{minutes} min
              </Button>
            ))}
          </Around>
          <EventAlerts row={row} />
          <Decoded text={row.text} />
          <JsonViewer key={row.id} document={row.document} label={`event ${row.id}`} onPick={onPick} />
        </Body>
      ) : (
        <EmptyState title="Event not on this page" text="It is older, newer, or filtered out." />
      )}
    </SidePanel>
  );
}
