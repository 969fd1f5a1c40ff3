/** Alerts that a new suppression would have hidden in the last 90 days. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { FailedLine } from '../../../kit/States.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { DaysTable, Examples, MaliciousCases } from '../../../lib/PreviewParts.tsx';
import { useScope } from '../../../lib/scope.ts';
import { previewQuery } from '../suppressions.queries.ts';
import type { scopeOf } from '../suppressions.ts';

type Scope = NonNullable<ReturnType<typeof scopeOf>>;

const dayMs = 86_400_000;
const unused: Scope = { clientOrganizationID: 1, ruleID: null, deviceName: null, userName: null };

interface Shown {
  data: AnswerOf<typeof suppressionsApi.preview> | undefined;
  error: Error | null;
  refetch: () => void;
}

/** `scopeJson`: the scope as JSON; `null` while it is incomplete. */
export function usePreview(scopeJson: string): Shown {
  const scope = JSON.parse(scopeJson) as Scope | null;
  const { data, error, refetch } = useQuery({
    ...previewQuery(scope ?? unused),
    enabled: scope !== null,
    staleTime: 0,
  });
  return { data: scope === null ? undefined : data, error: scope === null ? null : error, refetch: () => void refetch() };
}

const none = { gained: 0 };

function Lost({ data }: { data: NonNullable<Shown['data']> }) {
  const { timeZone } = useScope();
  const { days, maliciousCases, examples, start, oldestTime } = data;
  const isPartial = oldestTime !== null && Date.parse(oldestTime) - Date.parse(start) > dayMs;
  return (
    <div style={{ display: 'grid', gap: 12, marginTop: 12 }}>
      {isPartial && <Note>The client’s alerts begin {absoluteTime(Date.parse(oldestTime), timeZone)}.</Note>}
      <MaliciousCases caseIDs={maliciousCases.map(({ caseID }) => caseID)} />
      <DaysTable days={days.map((day) => ({ ...day, ...none }))} />
      <Examples
        examples={examples.map(({ alertID, at, ...example }) => ({ ...example, key: `${alertID} ${at}`, kind: 'lost' as const }))}
      />
    </div>
  );
}

export function Preview({ hasScope, isStale, preview }: { hasScope: boolean; isStale: boolean; preview: Shown }) {
  const { data, error, refetch } = preview;
  return (
    <div role="status" aria-live="polite">
      {!hasScope ? (
        <Note>Select a client and a rule, device or user to preview the alerts it would have hidden.</Note>
      ) : error ? (
        <FailedLine what="the preview" error={error} onRetry={refetch} />
      ) : isStale || !data ? (
        <Note>Checking the last 90 days…</Note>
      ) : (
        <Note tone={data.inMalicious > 0 ? 'warning' : 'info'}>
          It would have hidden <strong>{counted(data.hidden, 'alert')}</strong> in the last 90 days,{' '}
          <strong>{data.inMalicious === 0 ? 'none' : exact(data.inMalicious)}</strong> of them in malicious cases.
          {data.inMalicious > 0 && ' Narrow the suppression to keep those visible.'}
        </Note>
      )}
      {hasScope && !isStale && data && data.hidden > 0 && <Lost data={data} />}
    </div>
  );
}
