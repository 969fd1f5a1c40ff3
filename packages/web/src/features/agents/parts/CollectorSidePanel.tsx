/** Side panel of one collector: state, dropped events and errors, upgrade, and revoking an agent. */
import Button from '@mui/material/Button';
import type { Collector } from '@parapet/contract/agents.ts';
import { useState } from 'react';
import { bytesText } from '../../../kit/bytes.ts';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { DeviceTypeLabel } from '../../devices/parts/DeviceTypeLabel.tsx';
import { SourceState } from '../../devices/parts/SourceState.tsx';
import { kindLabel } from '../agentFilters.ts';
import { useRevokeAgent } from '../agents.queries.ts';
import { upgradeText } from './collectorColumns.tsx';

export function CollectorSidePanel({ collector, timeZone }: { collector: Collector; timeZone: string }) {
  const { may } = useScope();
  const revoke = useRevokeAgent();
  const [isConfirming, setConfirming] = useState(false);
  const { agentID: agent, clientOrganizationID: client, deviceName, upgrade } = collector;
  const canRevoke = agent !== null && collector.state !== 'revoked' && may('ingestKeys:write');
  const listOf = (texts: readonly string[]) =>
    texts.length > 0 && (
      <ul style={{ margin: 0, paddingLeft: 18 }}>
        {[...new Set(texts)].map((text) => (
          <li key={text}>
            <VisibleText text={text} />
          </li>
        ))}
      </ul>
    );
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      <DefinitionList
        minWidth={150}
        facts={[
          { name: 'State', value: <SourceState state={collector.state} /> },
          { name: 'Kind', value: kindLabel[collector.kind] },
          { name: 'Device', value: <DeviceTypeLabel type={collector.deviceType} /> },
          { name: 'Client', value: <VisibleText text={collector.clientOrganizationName} /> },
          {
            name: 'Version',
            value: collector.version && (
              <>
                <VisibleText text={collector.version} />
                {collector.isOutdated && ', outdated'}
              </>
            ),
          },
          {
            name: 'Last seen',
            value: <TimeOrNever at={collector.lastSeenAt} timeZone={timeZone} />,
          },
          { name: 'Enrolled', value: collector.enrolledAt && <AbsoluteTime at={collector.enrolledAt} timeZone={timeZone} /> },
          { name: 'Network', value: collector.isIsolated ? 'Isolated' : null },
          { name: 'Events, last 24 hours', value: exact(collector.events24h) },
          {
            name: 'Baseline, 24 hours',
            value: collector.expected24h === null ? 'Learning baseline' : exact(collector.expected24h),
          },
          {
            name: 'Disk buffer',
            value:
              collector.bufferBytes === null
                ? null
                : `${bytesText(collector.bufferBytes)}${collector.isBufferFull ? ', full' : ''}`,
          },
          {
            name: 'Dropped since start',
            isWide: true,
            value: listOf(collector.dropped.map(({ reason, count }) => `${exact(count)} × ${reason}`)) || null,
          },
          { name: 'Recent errors', isWide: true, value: listOf(collector.errors) || null },
          {
            name: 'Upgrade',
            isWide: true,
            value: upgrade && (
              <>
                {upgradeText(upgrade)}
                {upgrade.detail && (
                  <>
                    {': '}
                    <VisibleText text={upgrade.detail} />
                  </>
                )}
              </>
            ),
          },
        ]}
      />
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        <Button component={AppLink} href={paths.device(client, deviceName)} variant="outlined" size="small">
          Open device
        </Button>
        {canRevoke && (
          <Button size="small" color="error" onClick={() => setConfirming(true)}>
            Revoke agent
          </Button>
        )}
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        title="Revoke this agent?"
        isBusy={revoke.isPending}
        onNo={() => setConfirming(false)}
        onYes={() => agent !== null && revoke.mutate({ params: { client, agent } }, { onSettled: () => setConfirming(false) })}
      >
        The key of the agent on <VisibleText text={deviceName} /> stops working immediately: it ships no events and accepts no
        tasks. {collector.isIsolated && 'Its host stays isolated until its automatic release. '}
        To reconnect, enrol the host again with a token.
      </ConfirmDialog>
    </div>
  );
}
