/** Users and processes in a device's newest events of the last 7 days, each linked to its events. */
import type { DeviceDetail } from '@parapet/contract/devices.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { eventsOf } from '../parts/deviceColumns.tsx';
import { Grid } from './OverviewTab.tsx';
import type { TabProps } from './tabProps.ts';

export function ActivityTab({ device, timeZone }: TabProps) {
  const rowsOf = (seen: DeviceDetail['users'], filter: 'user' | 'text') =>
    seen.map(({ name, count, lastAt }) => ({
      key: name,
      text: name,
      cells: [
        // The event search accepts at most 200 characters.
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
  const heads = (name: string) => [name, { title: 'Events', isNumber: true }, 'Last seen'] as const;
  return (
    <Grid style={{ marginTop: 0 }}>
      <Listing
        title="Users"
        heads={heads('User')}
        rows={rowsOf(device.users, 'user')}
        empty="No users in events of the last 7 days."
      />
      <Listing
        title="Processes"
        heads={heads('Program')}
        rows={rowsOf(device.processes, 'text')}
        empty="No processes in events of the last 7 days."
      />
    </Grid>
  );
}
