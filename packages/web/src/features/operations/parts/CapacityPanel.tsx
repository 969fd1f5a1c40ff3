/** Versions, size and growth, free space with the days left, agents and sources. */
import type { Capacity } from '@parapet/contract/operations.processes.ts';
import { bytesText } from '../../../kit/bytes.ts';
import { DefinitionList, type Fact } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { scarceDays, scarceShare, spanText } from '../operationsTexts.ts';
import { Body } from './Body.tsx';

const diskName = { data: 'Data disk', backup: 'Backup disk' } as const;

type Disk = Capacity['disks'][number];

const isScarce = ({ freeBytes, sizeBytes, daysLeft }: Disk) =>
  freeBytes < scarceShare * sizeBytes || (daysLeft !== null && daysLeft < scarceDays);

const diskText = ({ freeBytes, sizeBytes, daysLeft }: Disk) =>
  `${bytesText(freeBytes)} of ${bytesText(sizeBytes)} free${daysLeft === null ? '' : `, ${counted(daysLeft, 'day')} left`}`;

const growthText = (bytes: number) => `${bytes < 0 ? '−' : ''}${bytesText(Math.abs(bytes))} per day`;

interface Props {
  capacity: Capacity;
  version: string;
  databaseVersion: string;
}

export function CapacityPanel({ capacity, version, databaseVersion }: Props) {
  const { databaseBytes, bytesPerDay, disks, agents, agentsOnline, silentSources, clickHouseLagSeconds } = capacity;
  const facts: Fact[] = [
    { name: 'Database', value: bytesText(databaseBytes) },
    { name: 'Growth', value: bytesPerDay === null ? 'Measured from the second day' : growthText(bytesPerDay) },
    ...disks.map((disk) => ({ name: diskName[disk.volume], value: diskText(disk) })),
    { name: 'Agents online', value: `${exact(agentsOnline)} of ${exact(agents)}` },
    { name: 'Silent sources', value: exact(silentSources) },
    { name: 'ClickHouse lag', value: clickHouseLagSeconds === null ? null : spanText(clickHouseLagSeconds) },
    { name: 'Version', value: `${version}, PostgreSQL ${databaseVersion}` },
  ];
  const scarce = disks.filter(isScarce);
  return (
    <Panel title="Capacity">
      <Body>
        {scarce.map((disk) => (
          <Note key={disk.volume} tone="warning">
            {`${diskName[disk.volume]} is nearly full: ${diskText(disk)}. The runbook has what to do (DiskFilling).`}
          </Note>
        ))}
        <DefinitionList facts={facts} />
      </Body>
    </Panel>
  );
}
