/** Inventory of a device by the agent: system, addresses, accounts, open ports and packages. */
import Button from '@mui/material/Button';
import { Card } from '../../../kit/Card.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Listing } from '../../../kit/Listing.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { Grid } from './OverviewTab.tsx';
import type { TabProps } from './tabProps.ts';

const mono = (text: string) => (
  <MonoText key={text}>
    <VisibleText text={text} />
  </MonoText>
);

export function InventoryTab({ device, timeZone }: TabProps) {
  const { inventory } = device;
  if (!inventory) return <NoInventory device={device} />;
  const { system, takenAt } = inventory;
  return (
    <>
      <Card
        title="System"
        purpose={
          <>
            Collected <AbsoluteTime at={takenAt} timeZone={timeZone} />
          </>
        }
      >
        <DefinitionList
          facts={system.map(({ label, value }) => ({
            name: label,
            value: /^\d{4}-\d\d-\d\dT/.test(value) ? (
              <AbsoluteTime at={value} timeZone={timeZone} />
            ) : (
              <VisibleText text={value} />
            ),
          }))}
        />
      </Card>
      <Listings {...inventory} />
    </>
  );
}

function NoInventory({ device }: Pick<TabProps, 'device'>) {
  return (
    <EmptyState
      title={device.hasAgent ? 'No inventory yet' : 'No inventory available'}
      text={
        device.hasAgent
          ? 'The agent sends it with one of its next check-ins.'
          : 'The Linux agent collects packages, accounts, addresses and open ports. Beats and syslog send events only.'
      }
      actions={
        !device.hasAgent && (
          <Button
            component={AppLink}
            href={paths.agents({ client: device.clientOrganizationID, tab: 'install' })}
            variant="outlined"
            size="small"
          >
            Install agent
          </Button>
        )
      }
    />
  );
}

function Listings({ addresses, listening, users, packages }: NonNullable<TabProps['device']['inventory']>) {
  return (
    <Grid>
      <Listing
        title="Addresses"
        heads={['Interface', 'Address', 'Hardware']}
        rows={addresses.map((row, index) => ({
          key: String(index),
          text: `${row.interface} ${row.address} ${row.mac}`,
          cells: [mono(row.interface), mono(row.address), mono(row.mac)],
        }))}
        empty="No addresses."
      />
      <Listing
        title="Open ports"
        heads={['Port', 'Address', 'Program']}
        rows={listening.map((row, index) => ({
          key: String(index),
          text: `${row.protocol} ${row.port} ${row.address} ${row.process}`,
          cells: [
            mono(`${row.port}/${row.protocol}`),
            mono(row.address),
            <VisibleText key="program" text={row.process || '–'} />,
          ],
        }))}
        empty="No open ports."
      />
      <Listing
        title="Accounts"
        heads={['Name', 'UID', 'Shell', 'State']}
        rows={users.map((row) => ({
          key: row.name,
          text: `${row.name} ${row.uid} ${row.shell}`,
          cells: [
            <VisibleText key="name" text={row.name} />,
            mono(String(row.uid)),
            mono(row.shell),
            row.isLocked ? 'Locked' : 'Open',
          ],
        }))}
        empty="No accounts."
      />
      <Listing
        title="Packages"
        heads={['Name', 'Version', 'Source']}
        rows={packages.map((row, index) => ({
          key: String(index),
          text: `${row.name} ${row.version} ${row.ecosystem}`,
          cells: [<VisibleText key="name" text={row.name} />, mono(row.version), <VisibleText key="from" text={row.ecosystem} />],
        }))}
        empty="No packages from a package manager."
      />
    </Grid>
  );
}
