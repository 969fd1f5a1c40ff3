/** Preview of a grouping set over past alerts: progress, then cases that would open, not open, be joined or split. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { GroupingPreview } from '@parapet/contract/caseGrouping.ts';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { FailedLine } from '../../../kit/States.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { DaysTable, MaliciousCases } from '../../../lib/PreviewParts.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { groupingPreviewQuery, useCancelGroupingPreview } from '../grouping.queries.ts';

const isOpen = (preview: GroupingPreview | undefined) => preview?.state === 'waiting' || preview?.state === 'running';
const kindLabel = { lost: 'Would not open', gained: 'Would open', joined: 'Joined', split: 'Split' } as const;

export function GroupingPreviewResult({ id, isStale }: { id: number; isStale: (change: GroupingPreview['change']) => boolean }) {
  const { data, error, refetch } = useQuery({
    ...groupingPreviewQuery(id),
    refetchInterval: ({ state }) => (isOpen(state.data) ? 1_000 : false),
  });
  const cancel = useCancelGroupingPreview();
  const { timeZone } = useScope();
  if (!data)
    return error ? (
      <FailedLine what="the preview" error={error} onRetry={() => void refetch()} />
    ) : (
      <LinearProgress aria-label="Preview" />
    );
  const range = `${absoluteTime(Date.parse(data.start), timeZone)} to ${absoluteTime(Date.parse(data.end), timeZone)}`;
  if (isOpen(data))
    return (
      <div role="status" style={{ display: 'grid', gap: 8 }}>
        <span>
          Grouping {data.total} alerts, {range}
        </span>
        <LinearProgress
          aria-label="Preview"
          variant="determinate"
          value={data.total === 0 ? 0 : (100 * data.scanned) / data.total}
        />
        <div>
          <Button size="small" onClick={() => cancel.mutate({ params: { id } })}>
            Cancel preview
          </Button>
        </div>
      </div>
    );
  if (data.state === 'cancelled') return <Nothing>Preview cancelled.</Nothing>;
  if (data.state === 'failed') return <Note tone="warning">{data.failure}</Note>;
  return <Done preview={data} range={range} isStale={isStale(data.change)} />;
}

function Done({ preview, range, isStale }: { preview: GroupingPreview; range: string; isStale: boolean }) {
  const sum = (name: 'before' | 'after' | 'gained' | 'lost' | 'joined' | 'split' | 'changed' | 'alerts') =>
    preview.clients.reduce((total, client) => total + client[name], 0);
  const partial = preview.clients.filter(({ isPartial }) => isPartial);
  const differing = preview.clients.filter(
    ({ gained, lost, joined, split, changed }) => gained + lost + joined + split + changed > 0,
  );
  return (
    <div role="status" style={{ display: 'grid', gap: 12 }}>
      {isStale && <Note tone="warning">The set differs from this preview. Preview it again.</Note>}
      <strong>
        {sum('lost')} cases fewer, {sum('gained')} more, {sum('joined')} joined, {sum('split')} split
      </strong>
      <span>
        {sum('before')} cases before, {sum('after')} after;{' '}
        {preview.minutes > 0 ? `${preview.minutes} minutes of analysts more` : `${-preview.minutes} minutes of analysts fewer`}.{' '}
        {sum('alerts')} alerts grouped, {range}.
      </span>
      {partial.length > 0 && (
        <Note>
          Only the newest alerts of{' '}
          {partial
            .map(({ clientOrganizationName }) => clientOrganizationName)
            .slice(0, 5)
            .join(', ')}
          .
        </Note>
      )}
      <MaliciousCases
        caseIDs={preview.maliciousCases.map(({ caseID }) => caseID)}
        more="A second person must make it live: send them the address of this page."
      />
      {differing.length > 0 && (
        <Rows aria-label="Cases by client">
          {differing.slice(0, 50).map((client) => (
            <Row key={client.clientOrganizationID}>
              <div className="fields">
                <strong>{client.clientOrganizationName}</strong>
                <span>
                  {client.before} → {client.after} cases: {client.lost} fewer, {client.gained} more, {client.joined} joined,{' '}
                  {client.split} split, {client.changed} with other alerts
                </span>
              </div>
            </Row>
          ))}
        </Rows>
      )}
      <DaysTable days={preview.days} />
      {preview.examples.length > 0 && (
        <Rows aria-label="Examples">
          {preview.examples.slice(0, 12).map((example) => (
            <Row key={`${example.kind} ${example.clientOrganizationID} ${example.at} ${example.rule}`}>
              <div className="fields">
                <span>
                  <strong>{kindLabel[example.kind]}</strong> <VisibleText text={example.rule} />{' '}
                  <VisibleText text={example.deviceName ?? example.userName ?? ''} />, {example.count}{' '}
                  {example.count === 1 ? 'alert' : 'alerts'}
                </span>
                <span>
                  {example.clientOrganizationName}
                  {example.caseID !== null && (
                    <>
                      , <AppLink href={paths.case(example.caseID)}>case {example.caseID}</AppLink>
                    </>
                  )}
                </span>
              </div>
            </Row>
          ))}
        </Rows>
      )}
    </div>
  );
}
