/** Who signed in and what ran on a device, of its newest events of seven days; each leads to those events. */
import type { DeviceDetail } from '@parapet/contract/devices.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import type { TabProps } from '../DevicePage.tsx';
import { eventsOf } from '../parts/deviceColumns.tsx';
import { Grid } from './OverviewTab.tsx';

export function ActivityTab({ device, timeZone }: TabProps) {
  const rowsOf = (seen: DeviceDetail['users'], filter: 'user' | 'text') =>
    seen.map(({ name, count, lastAt }) => ({
      key: name,
      text: name,
      cells: [
        // The event search takes no longer ones.
        name.length <= 200 ? (
          <AppLink key="name" href={eventsOf(device, { [filter]: name })}>
            <VisibleText text={name} />
          </AppLink>
        ) : (
          <VisibleText key="name" text={name} />
        ),
        exact(count),
        <RelativeTime key="last" at={lastAt} timeZone={timeZone} />,
      ],
    }));
  const heads = (what: string) => [what, { title: 'Events', isNumber: true }, 'Last'] as const;
  return (
    <Grid style={{ marginTop: 0 }}>
      <Listing
        title="Users"
        heads={heads('User')}
        rows={rowsOf(device.users, 'user')}
        empty="Its events of the last 7 days name no user."
      />
      <Listing
        title="Processes"
        heads={heads('Program')}
        rows={rowsOf(device.processes, 'text')}
        empty="Its events of the last 7 days name no program."
      />
    </Grid>
  );
}
