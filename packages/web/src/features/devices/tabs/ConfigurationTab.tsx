/** How a device is collected from: which collector in which version, whether there is a newer one, and where it is configured. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { collectorOf } from '../collectorOf.ts';
import type { TabProps } from '../DevicePage.tsx';
import { versionsQuery } from '../devices.queries.ts';
import { AgentCard } from '../parts/AgentCard.tsx';
import { Grid } from './OverviewTab.tsx';

const said = {
  agent: 'Our agent needs no file: its token says where it belongs, and the portal offers it new versions.',
  beat: 'One of Elastic’s Beats. Its file is kept here in versions; a host fetches the newest with its key.',
  syslog: 'Lines of syslog, which say nothing of what sends them. A file for rsyslog is kept here.',
  unknown: 'Its events do not say what collects there. Any shipper that speaks HTTP may send with an ingest key.',
};

export function ConfigurationTab({ device, timeZone }: TabProps) {
  const { may } = useScope();
  const client = device.clientOrganizationID;
  const { kind, title, config } = collectorOf(device);
  const versions = useQuery(versionsQuery(client));
  const own = versions.data?.agentVersions.find(({ version }) => version === device.agentUpdateVersion);
  const newest = own && versions.data?.agentVersions.find((each) => each.kind === own.kind && each.isNewest);
  const href =
    kind === 'agent' || config === null ? paths.agents({ client, tab: 'install' }) : paths.collectorConfig(config, client);
  return (
    <Grid style={{ marginTop: 0 }}>
      <Card title="Collector" purpose={said[kind]}>
        <DefinitionList
          facts={[
            { name: 'Collects', value: <VisibleText text={title} /> },
            {
              name: 'This version since',
              value: device.agentUpdateDateTime && <AbsoluteTime at={device.agentUpdateDateTime} timeZone={timeZone} />,
            },
            {
              name: 'Newest at this client',
              value: own && (own.isNewest ? 'It has it' : <VisibleText text={newest?.version ?? ''} />),
            },
          ]}
        />
        {versions.error && !versions.data ? (
          <FailedLine what="versions" error={versions.error} onRetry={() => void versions.refetch()} />
        ) : null}
        <div style={{ marginTop: 16 }}>
          {may('ingestKeys:write') ? (
            <Button component={AppLink} href={href} variant="outlined" size="small">
              {config === null ? 'Agents and keys' : 'Open its configuration'}
            </Button>
          ) : (
            <span style={{ fontSize: 13 }}>Administrators of your organisation change what it collects.</span>
          )}
        </div>
      </Card>
      {device.agent && <AgentCard agent={device.agent} timeZone={timeZone} />}
    </Grid>
  );
}
