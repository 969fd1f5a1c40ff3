/** Gauges of the events that wait for their move to ClickHouse. */
import type { Clock } from '../../core/clock.ts';
import { type Metrics, setOrRemove } from '../../core/metrics.ts';
import type { MoveState } from '../../domain/events/clickhouse/move.ts';

const staleMs = 5 * 60_000;

/** The result takes a state that this process has read; after five minutes another one may have taken the job over. */
export function moveGauges(metrics: Pick<Metrics, 'measureBy'>, clock: Clock): (state: MoveState) => void {
  let last: { waiting: number; lagSeconds: number; at: number } | undefined;
  metrics.measureBy((gauge) => {
    const waiting = gauge('portal_clickhouse_waiting_events', 'Events that are not in ClickHouse yet.');
    const lag = gauge(
      'portal_clickhouse_lag_seconds',
      'Seconds since the arrival of the first event that is not in ClickHouse yet.',
    );
    return async () => {
      const fresh = last && clock.now() - last.at <= staleMs ? last : undefined;
      setOrRemove(waiting, fresh?.waiting);
      setOrRemove(lag, fresh?.lagSeconds);
    };
  });
  return ({ waiting, since }) => {
    const at = clock.now();
    last = { waiting, lagSeconds: since === null ? 0 : (at - since) / 1_000, at };
  };
}
