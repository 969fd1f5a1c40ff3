/** Cases of a device, open ones first. */
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Line, Lines } from '../../../lib/Lines.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths } from '../../../lib/paths.ts';
import { deviceCasesQuery } from '../devices.queries.ts';
import type { TabProps } from './tabProps.ts';

export function CasesTab({ device, timeZone }: TabProps) {
  const cases = useQuery(deviceCasesQuery(device.clientOrganizationID, device.name));
  return (
    <Panel
      title="Cases"
      end={
        <AppLink
          href={paths.cases(device.clientOrganizationID, { timeframe: 'allTime', device: device.name })}
          style={{ color: 'inherit' }}
        >
          {cases.data ? `All ${exact(cases.data.total)}${cases.data.totalIsAtLeast ? '+' : ''} cases` : 'All cases'}
        </AppLink>
      }
    >
      <Loaded query={cases} what="cases" lines={6} isEmpty={cases.data?.results.length === 0} empty="No cases yet.">
        <Lines>
          {cases.data?.results.map((row) => (
            <Line
              key={row.id}
              href={paths.case(row.id)}
              severity={row.criticality}
              what={row.title}
              where={[statusLabel(row.status), row.analyst ?? 'Unassigned']}
              end={<RelativeTime at={row.createdTime} timeZone={timeZone} />}
            />
          ))}
        </Lines>
      </Loaded>
    </Panel>
  );
}
