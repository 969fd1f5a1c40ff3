/** The alerts that keep a copy of an event, each with its case: the way from a search to the casework. */
import { styled } from '@mui/material/styles';
import type { EventRow } from '@parapet/contract/events.ts';
import { useQuery } from '@tanstack/react-query';
import { palette } from '../../../kit/palette.ts';
import { SeverityIcon, severityLabel } from '../../../kit/Severity.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { alertsOfEventQuery } from '../events.queries.ts';

const Place = styled('section')({
  display: 'grid',
  gap: 6,
  fontSize: 13,
  '& h2': { margin: 0, fontSize: 14, lineHeight: '20px', fontWeight: 600 },
  '& p': { margin: 0, color: palette.text.secondary },
  '& ul': { display: 'grid', gap: 6, margin: 0, padding: 0, listStyle: 'none' },
  '& li': { display: 'grid', gridTemplateColumns: '16px minmax(0, 1fr) auto', alignItems: 'center', gap: 8 },
});

export function EventAlerts({ row }: { row: EventRow }) {
  const alerts = useQuery(alertsOfEventQuery(row));
  const { data, error, refetch } = alerts;
  return (
    <Place aria-label="Alerts of this event" aria-busy={data === undefined && !error}>
      <h2>Alerts</h2>
      {error && data === undefined && <FailedState what="alerts" error={error} onRetry={() => void refetch()} />}
      {data?.results.length === 0 && (
        <p>
          No alert keeps a copy of this event.
          {row.deviceName !== null && (
            <>
              {' '}
              <AppLink href={paths.alerts(row.clientOrganizationID, { device: row.deviceName })}>Alerts of this device</AppLink>
            </>
          )}
        </p>
      )}
      {data && data.results.length > 0 && (
        <ul>
          {data.results.map((alert) => (
            <li key={alert.id}>
              <SeverityIcon severity={alert.severity} label={severityLabel[alert.severity]} />
              <TitleLink href={paths.alert(alert.id)}>
                <VisibleText text={alert.rule} />
              </TitleLink>
              {alert.caseID !== null && <AppLink href={paths.case(alert.caseID)}>Case {alert.caseID}</AppLink>}
            </li>
          ))}
        </ul>
      )}
    </Place>
  );
}
