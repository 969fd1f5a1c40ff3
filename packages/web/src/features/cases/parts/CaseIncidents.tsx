/** Incidents of vendors that the alerts of a case belong to: link, status, owner and differences. */
import type { CaseIncident } from '@parapet/contract/connections.ts';
import { useQuery } from '@tanstack/react-query';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { caseIncidentsQuery } from '../cases.queries.ts';
import { incidentStatusText, incidentSyncText } from '../incidentText.ts';

const refreshMs = 60_000;

/** Nothing without an incident; a failure is shown by the page itself. */
export function CaseIncidents({ caseId, timeZone }: { caseId: number; timeZone: string }) {
  const { data } = useQuery({ ...caseIncidentsQuery(caseId), refetchInterval: refreshMs });
  if (!data || data.total === 0) return null;
  return (
    <Panel title="Vendor incidents">
      <div style={{ display: 'grid', gap: 16, padding: '0 16px 16px', fontSize: 13, minWidth: 0 }}>
        {data.results.map((incident) => (
          <Incident key={`${incident.connectionName} ${incident.vendorId}`} incident={incident} timeZone={timeZone} />
        ))}
      </div>
    </Panel>
  );
}

function Incident({ incident, timeZone }: { incident: CaseIncident; timeZone: string }) {
  const { vendorId, title, link, product, connectionName, classification, assignedTo, readAt, error, conflict } = incident;
  const name = <VisibleText text={title || `#${vendorId}`} />;
  return (
    <div style={{ display: 'grid', gap: 8, minWidth: 0 }}>
      <span style={{ overflowWrap: 'anywhere' }}>
        {link ? (
          <a href={link} target="_blank" rel="noreferrer noopener">
            {name}
          </a>
        ) : (
          name
        )}
        <span style={{ display: 'block', color: palette.text.secondary }}>
          {product}
          {connectionName !== product && (
            <>
              {' · '}
              <VisibleText text={connectionName} />
            </>
          )}
        </span>
      </span>
      <DefinitionList
        minWidth={124}
        facts={[
          { name: 'Status', value: <VisibleText text={incidentStatusText(incident)} /> },
          { name: 'Classification', value: classification && <VisibleText text={classification} /> },
          { name: 'Owner', value: assignedTo && <VisibleText text={assignedTo} /> },
          { name: 'Sync', value: incidentSyncText(incident) },
          { name: 'Last read', value: readAt && <RelativeTime at={readAt} timeZone={timeZone} /> },
        ]}
      />
      {conflict && (
        <Note tone="warning">
          <VisibleText text={conflict} />
        </Note>
      )}
      {error && (
        <Note tone="warning">
          <VisibleText text={error} />
        </Note>
      )}
    </div>
  );
}
