/** Collector of a device: version, available update, and link to its configuration. */
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
import { versionsQuery } from '../devices.queries.ts';
import { AgentCard } from '../parts/AgentCard.tsx';
import { Grid } from './OverviewTab.tsx';
import type { TabProps } from './tabProps.ts';

const descriptions = {
  agent: 'The agent needs no configuration file. Its token identifies the client, and the portal offers it new versions.',
  beat: 'One of Elastic’s Beats. The portal stores its configuration in versions; hosts fetch the latest with their key.',
  syslog: 'Syslog doesn’t identify its sender. The portal stores a configuration for rsyslog.',
  unknown: 'The events don’t identify a collector. Any shipper that uses HTTP can send with an ingest key.',
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
      <Card title="Collector" purpose={descriptions[kind]}>
        <DefinitionList
          facts={[
            { name: 'Collector', value: <VisibleText text={title} /> },
            {
              name: 'Version since',
              value: device.agentUpdateDateTime && <AbsoluteTime at={device.agentUpdateDateTime} timeZone={timeZone} />,
            },
            {
              name: 'Latest version',
              value: own && (own.isNewest ? 'Up to date' : <VisibleText text={newest?.version ?? ''} />),
            },
          ]}
        />
        {versions.error && !versions.data ? (
          <FailedLine what="versions" error={versions.error} onRetry={() => void versions.refetch()} />
        ) : null}
        <div style={{ marginTop: 16 }}>
          {may('ingestKeys:write') ? (
            <Button component={AppLink} href={href} variant="outlined" size="small">
              {config === null ? 'Agents and keys' : 'Open configuration'}
            </Button>
          ) : (
            <span style={{ fontSize: 13 }}>Only administrators of your organisation can change this configuration.</span>
          )}
        </div>
      </Card>
      {device.agent && <AgentCard agent={device.agent} timeZone={timeZone} />}
    </Grid>
  );
}
