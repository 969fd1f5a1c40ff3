/** How hosts are connected: our agent on Linux by one line, Windows by Winlogbeat, all else by Beats or syslog; and the tokens and keys for it. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
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
        title="Hosts are connected by administrators"
        text="A token or key lets a host send for your organisation. Ask an administrator of your organisation to make one."
        actions={
          <Button component={AppLink} href={paths.agents()} variant="outlined" size="small">
            Collectors
          </Button>
        }
      />
    );
  if (client === 0)
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
          purpose="It collects, keeps the inventory, and carries out responses: isolating a host, locking an account. For x86-64 and ARM64 with systemd."
        >
          <Steps>
            <li>Make an enrolment token. It is shown once, already in its line.</li>
            <li>Run the line on each host, as root or by sudo.</li>
            <li>The host appears under Collectors by itself.</li>
          </Steps>
          <CommandBox
            name={`The line, with your token in place of ${placeholder}`}
            text={linuxCommand(location.origin, placeholder)}
          />
        </Card>
        <Card
          title="Windows: Winlogbeat"
          purpose="There is no agent of ours for Windows: its event logs come by Elastic’s Winlogbeat. Responses there are done by a person."
        >
          <Steps>
            <li>Install Winlogbeat from Elastic in C:\Program Files\Winlogbeat.</li>
            <li>Download winlogbeat.yml here: it holds the portal’s address and a key of its own.</li>
            <li>
              Or run the PowerShell line beside it as administrator: it fetches the file, checks it, and starts Winlogbeat again.
            </li>
          </Steps>
          <Buttons>
            <Button variant="outlined" size="small" onClick={() => setDownloaded('winlogbeat')}>
              File and PowerShell line
            </Button>
            <Button component={AppLink} href={config('winlogbeat')} size="small">
              What it collects
            </Button>
          </Buttons>
        </Card>
        <Card
          title="Other systems: Beats or syslog"
          purpose="Filebeat for log files, Auditbeat and Packetbeat for hosts and networks, rsyslog for whatever speaks syslog: firewalls, switches, Unix."
        >
          <Buttons style={{ marginTop: 0 }}>
            {(['filebeat', 'auditbeat', 'packetbeat', 'rsyslog'] as const).map((kind) => (
              <Button key={kind} variant="outlined" size="small" onClick={() => setDownloaded(kind)}>
                {kind === 'rsyslog' ? kind : kind.charAt(0).toUpperCase() + kind.slice(1)}
              </Button>
            ))}
            <Button component={AppLink} href={config('client')} size="small">
              What they collect
            </Button>
          </Buttons>
        </Card>
      </Side>
      <Side>
        <Tokens client={client} />
        <Card title="Ingest keys" purpose="Beats, syslog and everything else send with one. Each downloaded file has its own.">
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
