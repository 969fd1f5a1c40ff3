/** Device page (/apps/device/{clientID}/{deviceName}): state, alerts, cases, users and processes, inventory, collection. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ComponentType, Suspense, useState } from 'react';
import { Hidden } from '../../kit/Announced.tsx';
import { LocalOfferOutlined } from '../../kit/icons/LocalOfferOutlined.tsx';
import { UpgradeRounded } from '../../kit/icons/UpgradeRounded.tsx';
import { lazyPanel } from '../../kit/LazyPanel.tsx';
import { Note } from '../../kit/Note.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SkeletonBar, TextSkeleton } from '../../kit/Skeletons.tsx';
import { Stat, StatRow } from '../../kit/Stat.tsx';
import { EmptyState, FailedLine, FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { BackLink } from '../../lib/BackLink.tsx';
import { objectIdIn } from '../../lib/pageLoader.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { TagChips } from '../tags/parts/TagChip.tsx';
import { TagDialog } from '../tags/parts/TagDialog.tsx';
import { deviceQuery, isDeviceName } from './devices.queries.ts';
import { DeviceTypeLabel } from './parts/DeviceTypeLabel.tsx';
import { alertsOf, eventsOfDay } from './parts/deviceColumns.tsx';
import { SourceState } from './parts/SourceState.tsx';
import { UpgradeDialog } from './parts/UpgradeDialog.tsx';
import { OverviewTab } from './tabs/OverviewTab.tsx';
import type { TabProps } from './tabs/tabProps.ts';

const tabs = {
  overview: { title: 'Overview', Tab: OverviewTab },
  alerts: {
    title: 'Alerts',
    Tab: lazyPanel('the alerts', () => import('./tabs/AlertsTab.tsx').then((module) => module.AlertsTab)),
  },
  cases: { title: 'Cases', Tab: lazyPanel('the cases', () => import('./tabs/CasesTab.tsx').then((module) => module.CasesTab)) },
  activity: {
    title: 'Users and processes',
    Tab: lazyPanel('users and processes', () => import('./tabs/ActivityTab.tsx').then((module) => module.ActivityTab)),
  },
  inventory: {
    title: 'Inventory',
    Tab: lazyPanel('the inventory', () => import('./tabs/InventoryTab.tsx').then((module) => module.InventoryTab)),
  },
  vulnerabilities: {
    title: 'Vulnerabilities',
    Tab: lazyPanel('the vulnerabilities', () =>
      import('./tabs/VulnerabilitiesTab.tsx').then((module) => module.VulnerabilitiesTab),
    ),
  },
  configuration: {
    title: 'Configuration',
    Tab: lazyPanel('the configuration', () => import('./tabs/ConfigurationTab.tsx').then((module) => module.ConfigurationTab)),
  },
  timeline: {
    title: 'Timeline',
    Tab: lazyPanel('the timeline', () => import('./tabs/TimelineTab.tsx').then((module) => module.TimelineTab)),
  },
} satisfies Record<string, { title: string; Tab: ComponentType<TabProps> }>;
const tabIds = Object.keys(tabs) as (keyof typeof tabs)[];

const Marks = styled('span')({ display: 'inline-flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 16px', fontSize: 13 });

export function DevicePage() {
  const { client: text = '', name = '' } = useParams({ strict: false }) as { client?: string; name?: string };
  const client = objectIdIn(text);
  const isValid = client !== undefined && isDeviceName(name);
  const { timeZone } = useScope();
  const { data, error, refetch } = useQuery({ ...deviceQuery(client ?? 1, name), enabled: isValid });
  useTitle(data?.name ?? 'Device');
  const list = paths.devices(client);

  if (data) return <Opened key={data.uuid} device={data} timeZone={timeZone} error={error} onRetry={() => void refetch()} />;
  const isMissing = !isValid || (error instanceof Problem && ['notFound', 'invalid', 'forbidden'].includes(error.code));
  if (!isMissing && !error) return <Loading name={name} />;
  return (
    <>
      <Hidden as="h1">Device</Hidden>
      {isMissing ? (
        <EmptyState
          title={client === undefined ? 'Invalid client number' : 'Device not found'}
          text={
            client === undefined ? (
              'Device addresses have the form /apps/device/{client number}/{device name}.'
            ) : (
              <>
                <VisibleText text={name.slice(0, 200)} /> doesn’t exist for this client, or you don’t have access to it.
              </>
            )
          }
          actions={
            <Button component={AppLink} href={list} variant="outlined" size="small">
              Data Sources
            </Button>
          }
        />
      ) : (
        <FailedState what="the device" error={error} onRetry={() => void refetch()} />
      )}
    </>
  );
}

function Opened({ device, timeZone, error, onRetry }: TabProps & { error: unknown; onRetry: () => void }) {
  const { may, hasSelector } = useScope();
  const { search } = useSearchState();
  const tab = oneIn(search.tab, tabIds, 'overview');
  const { Tab } = tabs[tab];
  const [dialog, setDialog] = useState<'tag' | 'update'>();
  const close = () => setDialog(undefined);
  const to = (id: keyof typeof tabs) =>
    paths.device(device.clientOrganizationID, device.name, id === 'overview' ? {} : { tab: id });
  return (
    <>
      {error ? <FailedLine what="the latest state of this device" error={error} onRetry={onRetry} /> : null}
      <BackLink href={paths.devices(device.clientOrganizationID)}>Data Sources</BackLink>
      <PageHeader
        above={
          <Marks>
            <DeviceTypeLabel type={device.deviceType} />
            <SourceState state={device.state} hours={device.silenceHours} />
            <TagChips tags={device.deviceTags} most={6} />
          </Marks>
        }
        title={<VisibleText text={device.name} />}
        purpose={hasSelector ? <VisibleText text={device.clientOrganizationName} /> : 'Device of your organisation'}
        actions={
          <>
            {may('tags:write') && (
              <Button variant="outlined" startIcon={<LocalOfferOutlined />} onClick={() => setDialog('tag')}>
                Tag
              </Button>
            )}
            {may('devices:write') && (
              <Button variant="outlined" startIcon={<UpgradeRounded />} onClick={() => setDialog('update')}>
                Update
              </Button>
            )}
          </>
        }
      />
      {device.isIsolated && (
        <div style={{ marginBottom: 16 }}>
          <Note tone="warning">This device is isolated. It can only reach the portal.</Note>
        </div>
      )}
      <StatRow>
        <Stat component={AppLink} href={alertsOf(device)} label="Alerts, last 30 days" value={device.alertCount} />
        <Stat component={AppLink} href={to('cases')} label="Open cases" value={device.openCases} />
        <Stat component={AppLink} href={eventsOfDay(device)} label="Events, last 24 hours" value={device.events24h} />
        {device.expected24h !== null && <Stat label="Baseline, 24 hours" value={device.expected24h} />}
      </StatRow>
      <TabLinks label="Device" current={tab} tabs={tabIds.map((id) => ({ id, title: tabs[id].title, href: to(id) }))} />
      <Suspense fallback={<TextSkeleton lines={8} />}>
        <Tab device={device} timeZone={timeZone} />
      </Suspense>
      {dialog === 'tag' && (
        <TagDialog organisationId={device.clientOrganizationID} devices={[device]} onClose={close} onDone={close} />
      )}
      {dialog === 'update' && <UpgradeDialog devices={[device]} onClose={close} />}
    </>
  );
}

function Loading({ name }: { name: string }) {
  return (
    <div aria-busy>
      <PageHeader above={<SkeletonBar width={220} height={18} />} title={<VisibleText text={name} />} purpose="…" />
      <div style={{ marginBottom: 24 }}>
        <SkeletonBar height={58} />
      </div>
      <TextSkeleton lines={10} lineHeight={28} />
    </div>
  );
}
