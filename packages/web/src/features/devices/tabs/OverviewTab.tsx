/** Overview of a device: events by hour against the baseline, details, alerts, agent and aliases. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { DeviceDetail } from '@parapet/contract/devices.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { useMemo, useState } from 'react';
import { tableOf } from '../../../kit/bars.ts';
import { Card } from '../../../kit/Card.tsx';
import { ChartFrame } from '../../../kit/ChartFrame.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import { StackedBars } from '../../../kit/StackedBars.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { collectorOf } from '../collectorOf.ts';
import { devicesTimeframe, useMerge } from '../devices.queries.ts';
import { hourBuckets } from '../hours.ts';
import { AgentCard } from '../parts/AgentCard.tsx';
import { eventsOf } from '../parts/deviceColumns.tsx';
import type { TabProps } from './tabProps.ts';

const height = 190;
const title = 'Events by hour, last 7 days';
const series = [{ id: 'events', name: 'Events', color: 'var(--mui-palette-primary-main)' }];

export const Grid = styled('div')({
  display: 'grid',
  gap: 16,
  alignItems: 'start',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 380px), 1fr))',
  marginTop: 16,
  '& > *': { minWidth: 0 },
});
export const PlainList = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  fontSize: 13,
  '& > li': {
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'space-between',
    gap: 12,
    minHeight: 34,
    borderTop: `1px solid ${palette.divider}`,
    overflowWrap: 'anywhere',
  },
  '& > li:first-of-type': { borderTop: 0 },
  '& a': { color: palette.primary.main, textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
});

export function OverviewTab({ device, timeZone }: TabProps) {
  const go = useGo();
  const buckets = useMemo(() => hourBuckets(device.hours, timeZone), [device.hours, timeZone]);
  const ofHour = (from: string) => go(eventsOf(device, { from, until: new Date(Date.parse(from) + hourMs).toISOString() }));
  return (
    <>
      <ChartFrame title={title} height={height} table={tableOf(series, buckets)}>
        <StackedBars
          label={title}
          series={series}
          buckets={buckets}
          height={height - 24}
          onPick={(bucket) => ofHour(bucket.key)}
        />
      </ChartFrame>
      <Grid>
        <Card title="Details">
          <DefinitionList
            facts={[
              { name: 'Collector', value: <VisibleText text={collectorOf(device).title} /> },
              {
                name: 'Version since',
                value: device.agentUpdateDateTime && <AbsoluteTime at={device.agentUpdateDateTime} timeZone={timeZone} />,
              },
              {
                name: 'Newest event',
                value: device.lastEventAt ? <RelativeTime at={device.lastEventAt} timeZone={timeZone} /> : 'None yet',
              },
              {
                name: 'Silence',
                value: device.silenceHours === null ? null : `${exact(device.silenceHours)} hours`,
              },
              { name: 'First seen', value: <AbsoluteTime at={device.firstSeenAt} timeZone={timeZone} /> },
              { name: 'Identity', value: <Mono text={device.uuid} copyLabel="Copy identity" />, isWide: true },
            ]}
          />
        </Card>
        <Card title="Alerts by severity" purpose="Last 30 days">
          {device.severities.length === 0 ? (
            <p style={{ margin: 0, fontSize: 13 }}>No alerts in the last 30 days.</p>
          ) : (
            <PlainList>
              {device.severities.map(({ severity, count }) => (
                <li key={severity}>
                  <SeverityLabel severity={severity} />
                  <AppLink
                    href={paths.alerts(device.clientOrganizationID, {
                      timeframe: devicesTimeframe,
                      device: device.name,
                      severity,
                    })}
                    aria-label={`${count} alerts of severity ${severity}`}
                  >
                    {exact(count)}
                  </AppLink>
                </li>
              ))}
            </PlainList>
          )}
        </Card>
        {device.agent && <AgentCard agent={device.agent} timeZone={timeZone} />}
        {device.aliases.length > 0 && <Names device={device} />}
      </Grid>
    </>
  );
}

const ruleText = {
  serial: 'Same serial number',
  cloud: 'Same cloud instance',
  directory: 'Same device in Entra ID',
  name: 'Same host name',
} as const;

/** "Same serial number pf3xk701: merged automatically". */
const mergedText = ({ rule, value }: DeviceDetail['aliases'][number]): string =>
  rule === null ? 'Merged manually' : `${ruleText[rule]} ${value}: merged automatically`;

/** Merged duplicates; their earlier alerts stay under their own names. */
function Names({ device }: { device: DeviceDetail }) {
  const { may } = useScope();
  const merge = useMerge();
  const [taken, setTaken] = useState<DeviceDetail['aliases'][number]>();
  return (
    <Card title="Aliases" purpose="Merged duplicates. Their earlier alerts stay under their own names.">
      <PlainList>
        {device.aliases.map((alias) => (
          <li key={alias.uuid}>
            <span>
              <AppLink
                href={paths.alerts(device.clientOrganizationID, { timeframe: devicesTimeframe, device: alias.name })}
                title={`Alerts of ${alias.name}`}
              >
                <VisibleText text={alias.name} />
              </AppLink>
              <span style={{ display: 'block', color: palette.text.secondary }}>
                <VisibleText text={mergedText(alias)} />
              </span>
            </span>
            {may('devices:write') && (
              <Button size="small" aria-label={`Unmerge ${alias.name}`} onClick={() => setTaken(alias)}>
                Unmerge
              </Button>
            )}
          </li>
        ))}
      </PlainList>
      <ConfirmDialog
        isOpen={taken !== undefined}
        title="Unmerge this device?"
        isBusy={merge.isPending}
        onNo={() => setTaken(undefined)}
        onYes={() =>
          taken &&
          merge.mutate(
            { body: { target: device.uuid, duplicates: [taken.uuid], isMerged: false } },
            { onSettled: () => setTaken(undefined) },
          )
        }
      >
        <VisibleText text={taken?.name ?? ''} /> becomes a separate device again, with its alerts and events. Tags added by the
        merge stay on <VisibleText text={device.name} />. No rule merges it again.
      </ConfirmDialog>
    </Card>
  );
}
