/** Open cases of all time (regardless of the timeframe), worst first, then oldest first, each linked to its case. */
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import { openStatuses, statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Line, Lines } from '../../../lib/Lines.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { ClockMark } from '../../cases/parts/CaseMarks.tsx';
import { needsMeCountQuery, needsMeQuery, refreshMs, shownAlerts } from '../dashboard.queries.ts';

const Counts = styled('p')({ margin: 0, padding: '0 16px 8px', fontSize: 13, color: palette.text.secondary });

export function AttentionQueue({ scope }: { scope: Scope }) {
  const { client, timeZone } = scope;
  const live = { refetchInterval: refreshMs };
  const cases = useQuery({ ...needsMeQuery(scope), ...live });
  const unassigned = useQuery({ ...needsMeCountQuery(scope, { status: openStatuses, analyst: [0] }), ...live });
  const breached = useQuery({ ...needsMeCountQuery(scope, { breached: true }), ...live });
  const hrefOf = (query: Query) => paths.cases(client, { timeframe: 'allTime', ...query, sort: 'urgency', order: 'asc' });
  const open = { status: openStatuses };
  return (
    <Panel
      title="Needs attention"
      end={
        <Link component={AppLink} href={hrefOf(open)}>
          {cases.data && cases.data.total > 0 ? `All ${exact(cases.data.total)}${cases.data.totalIsAtLeast ? '+' : ''}` : 'All'}
        </Link>
      }
    >
      {cases.data && cases.data.total > 0 && unassigned.data && breached.data && (
        <Counts>
          <Link component={AppLink} href={hrefOf({ ...open, analyst: 0 })} color="inherit" underline="always">
            {exact(unassigned.data.total)} unassigned
          </Link>
          {' · '}
          <Link component={AppLink} href={hrefOf({ breached: 'true' })} color="inherit" underline="always">
            {exact(breached.data.total)} over the target
          </Link>
        </Counts>
      )}
      <Loaded
        query={cases}
        what="open cases"
        lines={shownAlerts}
        isEmpty={cases.data?.results.length === 0}
        empty="No open cases."
      >
        <Lines>
          {cases.data?.results.map((row) => (
            <Line
              key={row.id}
              href={paths.case(row.id)}
              severity={row.criticality}
              what={row.title}
              where={[client === allClients && row.clientOrganizationName, statusLabel(row.status), row.analyst ?? 'Unassigned']}
              under={
                <>
                  {row.clock && <ClockMark clock={row.clock} timeZone={timeZone} isShort />}
                  <RelativeTime at={row.createdTime} timeZone={timeZone} />
                </>
              }
            />
          ))}
        </Lines>
      </Loaded>
    </Panel>
  );
}
