/** Preview of a change over stored events: progress, then alerts gained and lost by client and day, malicious cases and examples. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { RuleChange, RulePreview } from '@parapet/contract/rulePreviews.ts';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { abbreviate } from '../../../kit/numbers.ts';
import { Nothing } from '../../../kit/rows.styles.ts';
import { FailedLine } from '../../../kit/States.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { basisOf, timeDifference } from '../../../lib/analystTime.ts';
import { DaysTable, Examples, MaliciousCases } from '../../../lib/PreviewParts.tsx';
import { useScope } from '../../../lib/scope.ts';
import { previewQuery, useCancelPreview } from '../rules.queries.ts';

const isOpen = (preview: RulePreview | undefined) => preview?.state === 'waiting' || preview?.state === 'running';

export function usePreview(id: number | undefined) {
  return useQuery({
    ...previewQuery(id ?? 0),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (isOpen(state.data) ? 1_000 : false),
  });
}

export function PreviewResult({ id, change }: { id: number; change: RuleChange }) {
  const preview = usePreview(id);
  const cancel = useCancelPreview();
  const { timeZone } = useScope();
  const { data, error, refetch } = preview;
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
          Judging {data.total > 0 && abbreviate(data.total)} {judgedOf(data.change)}, {range}
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
  return <Done preview={data} range={range} isStale={!isSame(data.change, change)} />;
}

const judgedOf = ({ kind }: RuleChange): string => (kind === 'suppression' ? 'alerts' : 'events');

export const isSame = (a: RuleChange, b: RuleChange): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

function Done({ preview, range, isStale }: { preview: RulePreview; range: string; isStale: boolean }) {
  const { timeZone } = useScope();
  const sum = (name: 'before' | 'after' | 'gained' | 'lost' | 'changed' | 'events') =>
    preview.clients.reduce((total, client) => total + client[name], 0);
  const partial = preview.clients.filter(({ isPartial }) => isPartial);
  return (
    <div role="status" style={{ display: 'grid', gap: 12 }}>
      {isStale && <Note tone="warning">The change differs from this preview. Preview it again.</Note>}
      <strong>
        {sum('lost')} {sum('lost') === 1 ? 'alert' : 'alerts'} fewer, {sum('gained')} more
        {sum('changed') > 0 && `, ${sum('changed')} of another severity`}
      </strong>
      <span>
        {sum('before')} alerts before, {sum('after')} after. {abbreviate(sum('events'))} {judgedOf(preview.change)} judged,{' '}
        {range}.
      </span>
      {preview.analystTime && <span>{timeDifference(preview.analystTime.minutes, basisOf(preview.analystTime))}</span>}
      {partial.length > 0 && (
        <Note>
          {partial.length === 1 ? '1 client has' : `${partial.length} clients have`} fewer days:{' '}
          {partial
            .slice(0, 5)
            .map(
              ({ clientOrganizationName, from }) =>
                `${clientOrganizationName} from ${from ? absoluteTime(Date.parse(from), timeZone) : 'no event'}`,
            )
            .join(', ')}
          .
        </Note>
      )}
      <MaliciousCases
        caseIDs={preview.maliciousCases.map(({ caseID }) => caseID)}
        more="A second person must save it: send them the address of this page."
      />
      <DaysTable days={preview.days} />
      <Examples
        examples={preview.examples.map((example) => ({ ...example, key: `${example.kind} ${example.at} ${example.summary}` }))}
      />
    </div>
  );
}
