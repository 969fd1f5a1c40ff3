/** Feeds into threat intelligence: TAXII collections and MISP instances, each with a list of its own. */
import Button from '@mui/material/Button';
import type { IntelligenceFeed } from '@parapet/contract/intelligenceFeeds.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { PauseCircleOutlineRounded } from '../../../kit/icons/PauseCircleOutlineRounded.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, RowHead, Rows } from '../../../kit/rows.styles.ts';
import { StateLabel, type Tone } from '../../../kit/StateLabel.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { useScope } from '../../../lib/scope.ts';
import { feedsQuery, usePauseFeed, useRemoveFeed } from '../intelligence.queries.ts';
import { FeedForm } from './FeedForm.tsx';

const states: Record<IntelligenceFeed['state'], [label: string, icon: typeof ScheduleRounded, tone: Tone, description: string]> =
  {
    waiting: ['Waiting for the first read', HourglassEmptyRounded, 'plain', 'The first read starts within a minute.'],
    receiving: ['Reading', CheckCircleOutlineRounded, 'good', 'The last read succeeded.'],
    retrying: ['Retrying', ScheduleRounded, 'warning', 'The last read failed. The portal tries again.'],
    refused: ['Access refused', ErrorOutlineRounded, 'bad', 'The server refused the credentials. Its list stays as it is.'],
    paused: ['Paused', PauseCircleOutlineRounded, 'plain', 'Nothing is read while paused.'],
  };
/** Feeds and their lists change beside the page. */
export const pollMs = 15_000;

export function Feeds() {
  const { data, error, refetch } = useQuery({ ...feedsQuery(), refetchInterval: pollMs });
  const [edited, setEdited] = useState<IntelligenceFeed | 'new'>();
  const [doomed, setDoomed] = useState<IntelligenceFeed>();
  const remove = useRemoveFeed();
  const feeds = data?.results ?? [];
  return (
    <Card title="Feeds" purpose="Collections of TAXII 2.1 servers and MISP instances, read every hour into lists of their own.">
      <div style={{ marginBottom: 16 }}>
        <Button size="small" variant="outlined" onClick={() => setEdited('new')}>
          Add feed
        </Button>
      </div>
      {error && !data && <FailedState what="feeds" error={error} onRetry={() => void refetch()} />}
      {data && feeds.length === 0 && <EmptyState title="No feeds yet" text="Add a TAXII collection or a MISP instance." />}
      {feeds.length > 0 && (
        <Rows aria-label="Feeds">
          {feeds.map((feed) => (
            <FeedRow key={feed.id} feed={feed} onChange={() => setEdited(feed)} onRemove={() => setDoomed(feed)} />
          ))}
        </Rows>
      )}
      {edited && (
        <FeedForm
          feed={edited === 'new' ? undefined : edited}
          examples={data?.examples ?? {}}
          onClose={() => setEdited(undefined)}
        />
      )}
      <ConfirmDialog
        isOpen={doomed !== undefined}
        title="Remove this feed?"
        isBusy={remove.isPending}
        onNo={() => setDoomed(undefined)}
        onYes={() => doomed && remove.mutate({ params: { id: doomed.id } }, { onSettled: () => setDoomed(undefined) })}
      >
        <VisibleText text={doomed?.name ?? ''} /> and its list with {counted(doomed?.count ?? 0, 'indicator')} will be removed for
        all clients. Existing verdicts don’t change.
      </ConfirmDialog>
    </Card>
  );
}

function FeedRow({ feed, onChange, onRemove }: { feed: IntelligenceFeed; onChange: () => void; onRemove: () => void }) {
  const { timeZone } = useScope();
  const pause = usePauseFeed();
  const at = (instant: string | null) => instant && <RelativeTime at={instant} timeZone={timeZone} />;
  const name = visibleText(feed.name);
  const [label, icon, tone, description] = states[feed.state];
  const isPaused = feed.state === 'paused';
  return (
    <Row aria-label={name}>
      <div className="fields" style={{ display: 'grid', gap: 10 }}>
        <RowHead>
          <strong>
            <VisibleText text={feed.name} />
          </strong>
          <StateLabel icon={icon} tone={tone} label={label} description={description} />
          <span className="about">
            {feed.kind === 'taxii' ? 'TAXII 2.1' : 'MISP'} · <VisibleText text={feed.url} />
          </span>
        </RowHead>
        <DefinitionList
          minWidth={140}
          facts={[
            { name: 'Indicators', value: exact(feed.count) },
            { name: 'Last successful read', value: at(feed.readAt) },
            { name: 'Next read', value: at(feed.nextAt) },
          ]}
        />
        {feed.error && (
          <Note tone="warning">
            <VisibleText text={feed.error} /> {at(feed.errorAt)}
          </Note>
        )}
        {feed.skipped > 0 && (
          <Note>
            {counted(feed.skipped, 'entry', 'entries')} left out. The newest: <VisibleText text={feed.fault ?? ''} />
          </Note>
        )}
      </div>
      <div className="buttons" style={{ flexWrap: 'wrap' }}>
        <Button
          size="small"
          aria-label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}
          loading={pause.isPending}
          onClick={() => pause.mutate({ params: { id: feed.id }, body: { isPaused: !isPaused } })}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button size="small" aria-label={`Change ${name}`} onClick={onChange}>
          Change
        </Button>
        <Button size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </Row>
  );
}
