/** State of each process. */
import type { InstallationProcess } from '@parapet/contract/operations.processes.ts';
import { bytesText } from '../../../kit/bytes.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { msText } from '../operationsTexts.ts';
import { OneLine } from './Body.tsx';

const stateText = ({ isLive, isSafeMode }: InstallationProcess) => (!isLive ? 'Not seen' : isSafeMode ? 'Safe mode' : 'Running');

const poolText = ({ poolBusy, poolSize, poolWaiting }: InstallationProcess) =>
  `${poolBusy} of ${poolSize}${poolWaiting > 0 ? `, ${poolWaiting} waiting` : ''}`;

export function Processes({ processes, timeZone }: { processes: readonly InstallationProcess[]; timeZone: string | undefined }) {
  return (
    <Listing
      title="Processes"
      isWide
      heads={[
        'Process',
        'State',
        'Last seen',
        'Started',
        'Version',
        { title: 'CPU', isNumber: true },
        { title: 'Memory', isNumber: true },
        { title: 'Event loop p99', isNumber: true },
        { title: 'Connections', isNumber: true },
      ]}
      rows={processes.map((each) => ({
        key: `${each.host} ${each.pid} ${each.startedAt}`,
        text: `${each.host} ${each.roles.join(' ')} ${each.version}`,
        cells: [
          <OneLine key="name">{`${each.roles.join(', ')} (${each.host}, ${each.pid})`}</OneLine>,
          <OneLine key="state">{stateText(each)}</OneLine>,
          <OneLine key="seen">
            <RelativeTime at={each.seenAt} timeZone={timeZone} />
          </OneLine>,
          <OneLine key="started">
            <RelativeTime at={each.startedAt} timeZone={timeZone} />
          </OneLine>,
          each.version,
          <OneLine key="cpu">{`${each.cpuPercent}%`}</OneLine>,
          <OneLine key="memory">{bytesText(each.residentBytes)}</OneLine>,
          <OneLine key="loop">{msText(each.eventLoopMs)}</OneLine>,
          <OneLine key="pool">{poolText(each)}</OneLine>,
        ],
      }))}
      empty="No process has reported yet."
    />
  );
}
