/** One event: what it says, then the whole document. A value in it can be made a filter. */
import { styled } from '@mui/material/styles';
import type { EventRow } from '@parapet/contract/events.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { JsonViewer } from '../../../kit/JsonViewer.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';

const Body = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });

interface Props {
  /** The event that the address names; undefined for none. */
  id: string | undefined;
  row: EventRow | undefined;
  isLoading: boolean;
  timeZone: string;
  onClose: () => void;
  onPick: (path: string, value: unknown) => void;
}

export function EventSidePanel({ id, row, isLoading, timeZone, onClose, onPick }: Props) {
  return (
    <SidePanel isOpen={id !== undefined && (row !== undefined || !isLoading)} title="Event" onClose={onClose}>
      {row ? (
        <Body>
          <DefinitionList
            minWidth={160}
            facts={[
              { name: 'What it says', value: <VisibleText text={row.text} keepLines />, isWide: true },
              { name: 'Happened', value: <AbsoluteTime at={row.at} timeZone={timeZone} /> },
              { name: 'Arrived', value: <AbsoluteTime at={row.receivedAt} timeZone={timeZone} /> },
              {
                name: 'Clock',
                value: row.clockSkew !== 'none' && 'The event’s own clock could not be believed.',
                isWide: true,
              },
              { name: 'Device', value: row.deviceName && <VisibleText text={row.deviceName} /> },
              { name: 'User', value: row.userName && <VisibleText text={row.userName} /> },
              { name: 'Client', value: <VisibleText text={row.clientOrganizationName} /> },
              { name: 'Shape', value: row.shape },
            ].map((fact) => ({ ...fact, value: fact.value || null }))}
          />
          <JsonViewer key={row.id} document={row.document} label={`event ${row.id}`} onPick={onPick} />
        </Body>
      ) : (
        <EmptyState title="This event is not on this page" text="It is older, newer, or left out by a filter." />
      )}
    </SidePanel>
  );
}
