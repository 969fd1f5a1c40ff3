/** The columns of the list of collectors, and the same as a card for narrow screens. */
import type { Collector } from '@parapet/contract/agents.ts';
import { bytesText } from '../../../kit/bytes.ts';
import { clientColumn, SecondaryText, TwoLines, textCell } from '../../../kit/cells.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { RelativeTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { StateMark } from '../../../kit/StateMark.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { SourceState } from '../../devices/parts/SourceState.tsx';
import { Volume } from '../../devices/parts/Volume.tsx';
import { kindLabel } from '../agentFilters.ts';

interface Look {
  timeZone: string;
  hasClients: boolean;
}

type Upgrade = NonNullable<Collector['upgrade']>;
const upgradeLabel: Record<Upgrade['state'], string> = {
  staged: 'waits',
  offered: 'offered',
  done: 'done',
  failed: 'failed',
  instructed: 'manual',
};
export const upgradeText = ({ version, state }: Upgrade): string =>
  [version && `to ${version}`, upgradeLabel[state]].filter(Boolean).join(', ');

export const droppedOf = (collector: Collector) => collector.dropped.reduce((sum, { count }) => sum + count, 0);

/** Current problems of a collector, as a short text. */
export function troubleOf(collector: Collector): string {
  const dropped = droppedOf(collector);
  return [
    collector.isBufferFull && `buffer full, ${bytesText(collector.bufferBytes ?? 0)}`,
    dropped > 0 && `${exact(dropped)} dropped`,
    collector.errors.length > 0 && counted(collector.errors.length, 'error'),
    collector.upgrade?.state === 'failed' && 'upgrade failed',
  ]
    .filter(Boolean)
    .join(' · ');
}

function Name({ collector, tabIndex }: { collector: Collector; tabIndex?: number }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', minWidth: 0 }}>
      <TitleLink
        href={paths.device(collector.clientOrganizationID, collector.deviceName)}
        tabIndex={tabIndex}
        style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}
      >
        <VisibleText text={collector.deviceName} />
      </TitleLink>
      {collector.isIsolated && <StateMark state="isolated" />}
    </span>
  );
}

function Version({ collector: { version, isOutdated } }: { collector: Collector }) {
  if (version === null) return <SecondaryText>Unknown</SecondaryText>;
  if (!isOutdated) return textCell(version);
  return (
    <TwoLines title="A newer version of the same kind is known.">
      <b>
        <VisibleText text={version} />
      </b>
      <span>Outdated</span>
    </TwoLines>
  );
}

export function collectorColumns({ timeZone, hasClients }: Look): Column<Collector>[] {
  return [
    {
      id: 'name',
      header: 'Device',
      flex: 2,
      width: 160,
      isFixed: true,
      cell: (collector) => <Name collector={collector} tabIndex={-1} />,
    },
    ...clientColumn(hasClients),
    { id: 'kind', header: 'Kind', width: 84, cell: ({ kind }) => kindLabel[kind] },
    { id: 'version', header: 'Version', flex: 1, width: 196, cell: (collector) => <Version collector={collector} /> },
    { id: 'state', header: 'State', width: 112, cell: ({ state }) => <SourceState state={state} /> },
    {
      id: 'lastSeen',
      header: 'Last seen',
      width: 112,
      cell: ({ lastSeenAt }) => <TimeOrNever at={lastSeenAt} timeZone={timeZone} />,
    },
    {
      id: 'volume',
      header: 'Events, 24 h',
      width: 124,
      align: 'right',
      cell: ({ events24h, expected24h }) => <Volume events={events24h} expected={expected24h} />,
    },
    {
      id: 'trouble',
      header: 'Errors',
      flex: 1,
      width: 150,
      hidePriority: 3,
      cell: (collector) => textCell(troubleOf(collector)),
    },
    {
      id: 'upgrade',
      header: 'Upgrade',
      width: 150,
      hidePriority: 4,
      cell: ({ upgrade }) => (upgrade ? textCell(upgradeText(upgrade)) : null),
    },
    {
      id: 'enrolled',
      header: 'Enrolled',
      width: 120,
      isHidden: true,
      cell: ({ enrolledAt }) => (enrolledAt ? <RelativeTime at={enrolledAt} timeZone={timeZone} /> : '–'),
    },
  ];
}

const spread = { display: 'flex', justifyContent: 'space-between', gap: 12, minWidth: 0 } as const;

export function CollectorCard({ collector, timeZone, hasClients }: Look & { collector: Collector }) {
  const trouble = troubleOf(collector);
  return (
    <div style={{ display: 'grid', gap: 6, minWidth: 0 }}>
      <span style={spread}>
        <strong style={{ overflowWrap: 'anywhere' }}>
          <Name collector={collector} />
        </strong>
        <SourceState state={collector.state} />
      </span>
      <span style={spread}>
        <span>
          {kindLabel[collector.kind]}
          {collector.version && (
            <>
              {' · '}
              <VisibleText text={collector.version} />
            </>
          )}
          {collector.isOutdated && ' · outdated'}
        </span>
        <Volume events={collector.events24h} expected={collector.expected24h} />
      </span>
      {hasClients && <VisibleText text={collector.clientOrganizationName} />}
      {trouble && <SecondaryText>{trouble}</SecondaryText>}
      {collector.lastSeenAt && (
        <SecondaryText>
          Last seen <RelativeTime at={collector.lastSeenAt} timeZone={timeZone} />
        </SecondaryText>
      )}
    </div>
  );
}
