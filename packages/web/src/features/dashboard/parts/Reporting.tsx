/** Devices that report now, by type; each number leads to these devices. */
import { styled } from '@mui/material/styles';
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { Count } from '../../../kit/Count.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths } from '../../../lib/paths.ts';
import { Table } from './dashboard.styles.tsx';

type Overview = AnswerOf<typeof dashboardApi.overview>;

const words = {
  server: 'Servers',
  workstation: 'Workstations',
  networkDevice: 'Network devices',
  productivity: 'Productivity',
  cloudPlatform: 'Cloud platforms',
  cloudApp: 'Cloud apps',
};

const Bar = styled('span')({
  display: 'inline-block',
  width: 96,
  maxWidth: '20vw',
  height: 6,
  borderRadius: 3,
  overflow: 'hidden',
  backgroundColor: palette.action.selected,
  '& b': { display: 'block', height: '100%' },
});

interface Props {
  client: number;
  overview: Pick<UseQueryResult<Overview>, 'data' | 'error' | 'refetch'>;
}

export function Reporting({ client, overview }: Props) {
  const rows = overview.data?.reporting.filter(({ total }) => total > 0);
  return (
    <Panel title="Devices reporting">
      <Loaded
        query={overview}
        what="devices"
        lines={4}
        isEmpty={rows?.length === 0}
        empty="No device is known yet."
        next="It appears here with the first event that it sends."
      >
        <Table>
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col" className="less">
                Share
              </th>
              <th scope="col">Reporting</th>
              <th scope="col">Known</th>
            </tr>
          </thead>
          <tbody>
            {rows?.map(({ deviceType, total, reporting }) => (
              <tr key={deviceType}>
                <th scope="row">{words[deviceType]}</th>
                <td className="less">
                  <Bar aria-hidden>
                    <b style={{ width: `${(100 * reporting) / total}%`, backgroundColor: `var(--device-${deviceType})` }} />
                  </Bar>
                </td>
                <td>
                  <AppLink href={paths.devices(client, { type: deviceType, state: 'reporting' })}>
                    <Count value={reporting} />
                  </AppLink>
                </td>
                <td>
                  <AppLink href={paths.devices(client, { type: deviceType })}>
                    <Count value={total} />
                  </AppLink>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </Loaded>
    </Panel>
  );
}
