import type { RuleChange, RulePreview } from '@parapet/contract/rulePreviews.ts';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { absoluteTime } from '../../../kit/time.ts';
import { basisOf, timeDifference } from '../../../lib/analystTime.ts';
import { DaysTable, Examples, isOpenPreview, MaliciousCases, PreviewSteps } from '../../../lib/PreviewParts.tsx';
import { useScope } from '../../../lib/scope.ts';
import { previewQuery, useCancelPreview } from '../rules.queries.ts';

export function usePreview(id: number | undefined) {
  return useQuery({
    ...previewQuery(id ?? 0),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (isOpenPreview(state.data) ? 1_000 : false),
  });
}

export function PreviewResult({ id, change }: { id: number; change: RuleChange }) {
  const cancel = useCancelPreview();
  return (
    <PreviewSteps
      query={usePreview(id)}
      working={({ total, change: judged }) => ['Judging', total > 0 && exact(total), judgedOf(judged)].filter(Boolean).join(' ')}
      onCancel={() => cancel.mutate({ params: { id } })}
    >
      {(preview, range) => <Done preview={preview} range={range} isStale={!isSame(preview.change, change)} />}
    </PreviewSteps>
  );
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
        {sum('before')} alerts before, {sum('after')} after. {exact(sum('events'))} {judgedOf(preview.change)} judged, {range}.
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
