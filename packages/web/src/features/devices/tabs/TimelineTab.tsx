/** Activity on a device, newest first; older entries load on demand. */
import Button from '@mui/material/Button';
import type { DeviceMoment } from '@parapet/contract/devices.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { CallMergeRounded } from '../../../kit/icons/CallMergeRounded.tsx';
import { FolderOutlined } from '../../../kit/icons/FolderOutlined.tsx';
import { LocalOfferOutlined } from '../../../kit/icons/LocalOfferOutlined.tsx';
import { MemoryRounded } from '../../../kit/icons/MemoryRounded.tsx';
import { ShieldOutlined } from '../../../kit/icons/ShieldOutlined.tsx';
import { UpgradeRounded } from '../../../kit/icons/UpgradeRounded.tsx';
import { VolumeOffRounded } from '../../../kit/icons/VolumeOffRounded.tsx';
import { SeverityIcon } from '../../../kit/Severity.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedLine, FailedState } from '../../../kit/States.tsx';
import { Timeline } from '../../../kit/Timeline.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { momentsQuery } from '../devices.queries.ts';
import type { TabProps } from './tabProps.ts';

const icons: Record<Exclude<DeviceMoment['kind'], 'alert'>, typeof FolderOutlined> = {
  case: FolderOutlined,
  response: ShieldOutlined,
  version: UpgradeRounded,
  silence: VolumeOffRounded,
  tag: LocalOfferOutlined,
  agent: MemoryRounded,
  merge: CallMergeRounded,
};

function hrefOf({ kind, alertID, caseID, responseID }: DeviceMoment): string | undefined {
  if (kind === 'response' && responseID !== null) return paths.response(responseID);
  if (alertID !== null) return paths.alert(alertID);
  return caseID === null ? undefined : paths.case(caseID);
}

export function TimelineTab({ device, timeZone }: TabProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    momentsQuery(device.clientOrganizationID, device.uuid),
  );
  if (!data)
    return error ? (
      <FailedState what="the timeline" error={error} onRetry={() => void refetch()} />
    ) : (
      <TextSkeleton lines={8} lineHeight={48} />
    );
  const moments = data.pages.flatMap(({ results }) => results);
  if (moments.length === 0)
    return <EmptyState title="No activity yet" text="Alerts, cases, responses, versions and outages appear here." />;
  return (
    <Card title="Timeline" purpose="Alerts, cases, responses, versions, outages and tags">
      <Timeline
        timeZone={timeZone}
        moments={moments.map((moment, index) => {
          const href = hrefOf(moment);
          const Icon = moment.kind === 'alert' ? undefined : icons[moment.kind];
          return {
            key: String(index),
            at: moment.time,
            title: href ? (
              <TitleLink href={href}>
                <VisibleText text={moment.text} />
              </TitleLink>
            ) : (
              <VisibleText text={moment.text} />
            ),
            icon: Icon ? (
              <Icon sx={{ fontSize: 15, color: 'text.secondary' }} />
            ) : (
              <SeverityIcon severity={moment.severity ?? 'informational'} />
            ),
          };
        })}
      />
      {error ? <FailedLine what="older activity" error={error} onRetry={() => void fetchNextPage()} /> : null}
      {hasNextPage && (
        <Button size="small" loading={isFetchingNextPage} onClick={() => void fetchNextPage()} sx={{ mt: 2 }}>
          Show older
        </Button>
      )}
    </Card>
  );
}
