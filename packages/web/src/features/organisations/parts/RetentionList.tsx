/** Retention of every organisation in scope, and what is kept of its raw events. */
import { useQuery } from '@tanstack/react-query';
import { bytesText } from '../../../kit/bytes.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { retentionListQuery } from '../retention.queries.ts';

const number = (title: string) => ({ title, isNumber: true }) as const;

export function RetentionList() {
  const { timeZone } = useScope();
  const { data, error, refetch } = useQuery(retentionListQuery);
  if (error) return <FailedLine what="the organisations" error={error} onRetry={() => void refetch()} />;
  if (!data) return <TextSkeleton lines={4} />;
  return (
    <Listing
      title="All organisations"
      isWide
      heads={[
        'Organisation',
        number('Days'),
        number('Events'),
        'Oldest',
        number('Size'),
        number('Growth a day'),
        number('Archive'),
        'Legal hold',
      ]}
      empty="No organisations"
      rows={data.results.map((row) => ({
        key: String(row.clientOrganizationID),
        text: row.clientOrganizationName,
        cells: [
          <AppLink key="name" href={paths.clientDetails('retention', { client: row.clientOrganizationID })}>
            <VisibleText text={row.clientOrganizationName} />
          </AppLink>,
          exact(row.eventDays),
          exact(row.events),
          row.oldest ? <AbsoluteTime key="oldest" at={row.oldest} timeZone={timeZone} /> : 'None',
          bytesText(row.bytes),
          bytesText(row.bytesPerDay ?? 0),
          row.archiveMonths > 0 || row.archiveBytes > 0
            ? `${bytesText(row.archiveBytes)}, ${exact(row.archiveMonths)} months`
            : 'Off',
          row.isHeld ? 'Held' : 'No',
        ],
      }))}
    />
  );
}
