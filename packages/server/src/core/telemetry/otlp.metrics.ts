/** The process’s metrics as OpenTelemetry’s: the same names, labels and buckets as in /metrics. */
import type { Attributes, HrTime } from '@opentelemetry/api';
import { ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, type MetricData, type MetricProducer } from '@opentelemetry/sdk-metrics';
import type { Metrics } from '../metrics.ts';
import { portalVersion } from '../version.ts';

type Read = Awaited<ReturnType<Metrics['values']>>[number];
interface Value {
  value: number;
  labels: Record<string, string | number>;
  metricName?: string;
}

const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
const startTime = timeOf(performance.timeOrigin);

export const producerOf = (metrics: Pick<Metrics, 'values'>, resource: Resource): MetricProducer => ({
  async collect() {
    const endTime = timeOf(performance.timeOrigin + performance.now());
    const read = (await metrics.values()).flatMap((metric) => dataOf(metric, endTime));
    return {
      resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'parapet', version: portalVersion }, metrics: read }] },
      errors: [],
    };
  },
});

/** None for summaries, of which the portal has none. */
function dataOf(metric: Read, endTime: HrTime): MetricData[] {
  const { name, help } = metric;
  // prom-client’s own type is narrower than its values.
  const { type, values } = metric as unknown as { type: string; values: Value[] };
  const unit = /_seconds(_total)?$/.test(name) ? 's' : /_bytes(_total)?$/.test(name) ? 'By' : '';
  const common = {
    descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <T>(attributes: Attributes, value: T) => ({ startTime, endTime, attributes, value });
  const numbers = () => values.map(({ labels, value }) => point(labels, value));
  if (type === 'counter') return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() }];
  if (type === 'gauge') return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers() }];
  if (type !== 'histogram') return [];
  const dataPoints = histogramsOf(name, values).map(({ labels, ...value }) => point(labels, value));
  return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
}

interface OneHistogram {
  labels: Attributes;
  buckets: { boundaries: number[]; counts: number[] };
  sum: number;
  count: number;
}

/** Groups `_bucket`, `_sum` and `_count` by their labels; Prometheus’ buckets are cumulative. */
function histogramsOf(name: string, values: readonly Value[]): OneHistogram[] {
  const found = new Map<string, OneHistogram & { cumulative: number }>();
  for (const { metricName = name, labels, value } of values) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(rest);
    const each = found.get(key) ?? { labels: rest, buckets: { boundaries: [], counts: [] }, sum: 0, count: 0, cumulative: 0 };
    found.set(key, each);
    if (metricName.endsWith('_sum')) each.sum = value;
    else if (metricName.endsWith('_count')) each.count = value;
    else {
      if (le !== '+Inf') each.buckets.boundaries.push(Number(le));
      each.buckets.counts.push(value - each.cumulative);
      each.cumulative = value;
    }
  }
  return [...found.values()].map(({ cumulative: _, ...each }) => each);
}
