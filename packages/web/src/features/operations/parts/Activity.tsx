/** Queues, slowest operations and last errors. */
import { styled } from '@mui/material/styles';
import type { OperationsState } from '@parapet/contract/operations.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { msText, queueLabels, spanText, stuckSeconds } from '../operationsTexts.ts';
import { OneLine } from './Body.tsx';

const Pair = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 440px), 1fr))',
  alignItems: 'start',
  '& > *': { minWidth: 0 },
});

type Props = Pick<OperationsState, 'queues' | 'operations' | 'failures'> & { timeZone: string | undefined };

export function Activity({ queues, operations, failures, timeZone }: Props) {
  return (
    <>
      <Pair>
        <Queues queues={queues} />
        <Operations operations={operations} />
      </Pair>
      <Failures failures={failures} timeZone={timeZone} />
    </>
  );
}

const Queues = ({ queues }: Pick<Props, 'queues'>) => (
  <Listing
    title="Queues"
    heads={['Queue', 'State', { title: 'Due', isNumber: true }, { title: 'Oldest', isNumber: true }]}
    rows={queues.map(({ name, length, ageSeconds }) => ({
      key: name,
      text: queueLabels[name],
      cells: [
        queueLabels[name],
        length === 0 ? 'Empty' : ageSeconds > stuckSeconds ? 'Delayed' : 'In progress',
        exact(length),
        length === 0 ? '' : <OneLine key="age">{spanText(ageSeconds)}</OneLine>,
      ],
    }))}
    empty="No queues."
  />
);

const Operations = ({ operations }: Pick<Props, 'operations'>) => (
  <Listing
    title="Slowest operations, last 15 minutes"
    isWide
    heads={[
      'Operation',
      { title: 'Calls', isNumber: true },
      { title: 'Median', isNumber: true },
      { title: 'p95', isNumber: true },
      { title: 'Maximum', isNumber: true },
    ]}
    rows={operations.slice(0, 10).map(({ operation, count, medianMs, p95Ms, maxMs }) => ({
      key: operation,
      text: operation,
      cells: [
        operation,
        exact(count),
        <OneLine key="median">{msText(medianMs)}</OneLine>,
        <OneLine key="p95">{msText(p95Ms)}</OneLine>,
        <OneLine key="max">{msText(maxMs)}</OneLine>,
      ],
    }))}
    empty="No calls in the last 15 minutes."
  />
);

const Failures = ({ failures, timeZone }: Pick<Props, 'failures' | 'timeZone'>) => (
  <Listing
    title="Last errors"
    isWide
    heads={['Time', 'Operation', 'Status', 'Request or trace ID', 'Error']}
    rows={failures.map(({ at, operation, status, requestId, traceId, text }, index) => ({
      key: `${at} ${operation} ${index}`,
      text: `${operation} ${requestId} ${traceId} ${text}`,
      cells: [
        <OneLine key="at">
          <AbsoluteTime at={at} timeZone={timeZone} />
        </OneLine>,
        <OneLine key="operation">{operation}</OneLine>,
        status ?? 'Failed',
        <OneLine key="id">
          <MonoText>{traceId || requestId}</MonoText>
        </OneLine>,
        text || <OneLine key="text">See the log for this ID</OneLine>,
      ],
    }))}
    empty="No failed requests or jobs since the processes started."
  />
);
