/** Tickets of a case at PSA systems: id, link, status and newest exchange. */
import { useQuery } from '@tanstack/react-query';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { caseTicketsQuery } from '../cases.queries.ts';

const refreshMs = 60_000;

/** Nothing without a ticket; a failure is shown by the page itself. */
export function CaseTickets({ caseId, timeZone }: { caseId: number; timeZone: string }) {
  const { data } = useQuery({ ...caseTicketsQuery(caseId), refetchInterval: refreshMs });
  if (!data || data.total === 0) return null;
  return (
    <Panel title="Tickets">
      <div style={{ display: 'grid', gap: 12, padding: '0 16px 16px', fontSize: 13, minWidth: 0 }}>
        {data.results.map(({ ticketId, link, title, targetName, status, syncedAt, conflict, deletedAt }) => (
          <div key={`${targetName} ${ticketId}`} style={{ display: 'grid', gap: 8, minWidth: 0 }}>
            <DefinitionList
              minWidth={124}
              facts={[
                {
                  name: title,
                  value: link ? (
                    <a href={link} target="_blank" rel="noreferrer noopener">
                      <VisibleText text={`#${ticketId}`} />
                    </a>
                  ) : (
                    <VisibleText text={`#${ticketId}`} />
                  ),
                },
                { name: 'Status', value: deletedAt ? 'Deleted' : <VisibleText text={status || 'Unknown'} /> },
                { name: 'Last sync', value: <RelativeTime at={syncedAt} timeZone={timeZone} /> },
                ...(targetName === title ? [] : [{ name: 'Target', value: <VisibleText text={targetName} /> }]),
              ]}
            />
            {conflict && (
              <Note tone="warning">
                <VisibleText text={conflict} />
              </Note>
            )}
          </div>
        ))}
      </div>
    </Panel>
  );
}
