/** What a suppression would have hidden, before it is made. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { FailedLine } from '../../../kit/States.tsx';
import { previewQuery } from '../suppressions.queries.ts';
import type { whatOf } from '../suppressions.ts';

type What = NonNullable<ReturnType<typeof whatOf>>;

const nothing: What = { clientOrganizationID: 1, ruleID: null, deviceName: null, userName: null };

interface Shown {
  data: AnswerOf<typeof suppressionsApi.preview> | undefined;
  error: Error | null;
  refetch: () => void;
}

/** `what`: as JSON; null for nothing yet. */
export function usePreview(what: string): Shown {
  const asked = JSON.parse(what) as What | null;
  const { data, error, refetch } = useQuery({
    ...previewQuery(asked ?? nothing),
    enabled: asked !== null,
    staleTime: 0,
  });
  return { data: asked === null ? undefined : data, error: asked === null ? null : error, refetch: () => void refetch() };
}

export function Preview({ hasWhat, isStale, preview }: { hasWhat: boolean; isStale: boolean; preview: Shown }) {
  const { data, error, refetch } = preview;
  return (
    <div role="status" aria-live="polite">
      {!hasWhat ? (
        <Note>Choose a client, and a rule, a device or a user: then you see here what would have been hidden.</Note>
      ) : error ? (
        <FailedLine what="the preview" error={error} onRetry={refetch} />
      ) : isStale || !data ? (
        <Note>Looking at the last 90 days…</Note>
      ) : (
        <Note tone={data.inMalicious > 0 ? 'warning' : 'info'}>
          It would have hidden <strong>{counted(data.hidden, 'alert')}</strong> in 90 days,{' '}
          <strong>{data.inMalicious === 0 ? 'none' : data.inMalicious.toLocaleString('en-US')}</strong> of them in malicious
          cases.
          {data.inMalicious > 0 && ' A narrower suppression would keep those in sight.'}
        </Note>
      )}
    </div>
  );
}
