/** Installation guides (agent for Linux, Winlogbeat for Windows, Beats or syslog for others) with their tokens and keys. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import type { ConfigKind } from '@parapet/contract/collectors.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { DownloadDialog } from '../../collectors/parts/DownloadDialog.tsx';
import { ChooseClient } from '../../organisations/parts/ChooseClient.tsx';
import { linuxCommand, placeholder } from '../install.ts';
import { CommandBox } from './CommandBox.tsx';
import { Tokens } from './Tokens.tsx';

const Columns = styled('div')({
  display: 'grid',
  gap: 16,
  alignItems: 'start',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 440px), 1fr))',
  '& > *': { minWidth: 0 },
});
const Side = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });
const Steps = styled('ol')({ margin: 0, paddingLeft: 20, fontSize: 14, '& > li': { margin: '0 0 6px' } });
const Buttons = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8, marginTop: 12 });

export function Install() {
  const { client, may } = useScope();
  if (!may('ingestKeys:write'))
    return (
      <EmptyState
        title="Only administrators can connect hosts"
        text="Hosts send events with a token or key. Ask an administrator of your organisation to create one."
        actions={
          <Button component={AppLink} href={paths.agents()} variant="outlined" size="small">
            Collectors
          </Button>
        }
      />
    );
  if (client === allClients)
    return <ChooseClient purpose="Tokens and keys" hrefOf={(id) => paths.agents({ client: id, tab: 'install' })} />;
  return <OneClient client={client} />;
}

function OneClient({ client }: { client: number }) {
  const { hasSelector } = useScope();
  const [downloaded, setDownloaded] = useState<ConfigKind>();
  const config = (kind: ConfigKind) => paths.collectorConfig(kind, hasSelector ? client : undefined);
  return (
    <Columns>
      <Side>
        <Card
          title="Linux: our agent"
          purpose="Collects events, keeps the inventory and executes responses such as isolating a host or locking an account. For x86-64 and ARM64 with systemd."
        >
          <Steps>
            <li>Create an enrolment token. It is shown once, inside the install command.</li>
            <li>Run the command on each host as root or with sudo.</li>
            <li>The host appears under Collectors automatically.</li>
          </Steps>
          <CommandBox
            name={`Install command; replace ${placeholder} with your token`}
            text={linuxCommand(location.origin, placeholder)}
          />
        </Card>
        <Card
          title="Windows: Winlogbeat"
          purpose="Elastic’s Winlogbeat ships Windows event logs. There is no Windows agent, so responses on Windows hosts are manual."
        >
          <Steps>
            <li>Install Winlogbeat from Elastic in C:\Program Files\Winlogbeat.</li>
            <li>Download winlogbeat.yml here. It contains the portal’s address and its own key.</li>
            <li>Or run the PowerShell command as administrator. It downloads and verifies the file, then restarts Winlogbeat.</li>
          </Steps>
          <Buttons>
            <Button variant="outlined" size="small" onClick={() => setDownloaded('winlogbeat')}>
              File and PowerShell command
            </Button>
            <Button component={AppLink} href={config('winlogbeat')} size="small">
              Configuration
            </Button>
          </Buttons>
        </Card>
        <Card
          title="Other systems: Beats or syslog"
          purpose="Filebeat for log files, Auditbeat and Packetbeat for hosts and networks, rsyslog for any syslog source: firewalls, switches, Unix."
        >
          <Buttons style={{ marginTop: 0 }}>
            {(['filebeat', 'auditbeat', 'packetbeat', 'rsyslog'] as const).map((kind) => (
              <Button key={kind} variant="outlined" size="small" onClick={() => setDownloaded(kind)}>
                {kind === 'rsyslog' ? kind : kind.charAt(0).toUpperCase() + kind.slice(1)}
              </Button>
            ))}
            <Button component={AppLink} href={config('client')} size="small">
              Configuration
            </Button>
          </Buttons>
        </Card>
      </Side>
      <Side>
        <Tokens client={client} />
        <Card title="Ingest keys" purpose="Used by Beats, syslog and other shippers. Each downloaded file contains its own key.">
          <Button
            component={AppLink}
            href={paths.clientDetails('ingest-keys', hasSelector ? { client } : {})}
            variant="outlined"
            size="small"
          >
            Ingest keys
          </Button>
        </Card>
      </Side>
      {downloaded && (
        <DownloadDialog client={client} kind={downloaded} version={0} isDirty={false} onClose={() => setDownloaded(undefined)} />
      )}
    </Columns>
  );
}
