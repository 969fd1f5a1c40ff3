/** Export of traces and metrics by OTLP over HTTP (docs/decisions/0077-opentelemetry.md). Imported only where an endpoint is configured. */
import { hostname } from 'node:os';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { OtlpConfig } from '../config.otlp.ts';
import type { Close } from '../feature.ts';
import type { Metrics } from '../metrics.ts';
import { portalVersion } from '../version.ts';
import { producerOf } from './otlp.metrics.ts';
import { type Span, type SpanOptions, traceWith } from './tracing.ts';

const timeoutMillis = 10_000;
/** Spans that wait for the next export; beyond it they are dropped. */
const maxQueueSize = 4_096;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

type Known = Span & { readonly context: ReturnType<typeof trace.setSpan> };

export function startTelemetry(
  { endpoint, headers, serviceName, sampleRatio, metricsEveryMs }: OtlpConfig,
  metrics: Metrics,
): Close {
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': portalVersion,
    'service.instance.id': `${hostname()}:${process.pid}`,
  });
  const to = (signal: string) => ({ url: `${endpoint}/v1/${signal}`, headers, timeoutMillis });
  const tracing = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(to('traces')), maxQueueSize })],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(to('metrics')),
    exportIntervalMillis: metricsEveryMs,
    exportTimeoutMillis: Math.min(timeoutMillis, metricsEveryMs),
    metricProducers: [producerOf(metrics, resource)],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  const tracer = tracing.getTracer('parapet', portalVersion);
  const stop = traceWith((name, options) => spanOf(tracer, name, options));
  return async () => {
    stop();
    await Promise.allSettled([tracing.shutdown(), meters.shutdown()]);
  };
}

function spanOf(tracer: Tracer, name: string, { kind, attributes, startedAt, parent }: SpanOptions): Known {
  const above = parent ? (parent as Known).context : ROOT_CONTEXT;
  const startTime = startedAt === undefined ? undefined : performance.timeOrigin + startedAt;
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, ...(startTime !== undefined && { startTime }) }, above);
  return {
    traceId: span.spanContext().traceId,
    context: trace.setSpan(above, span),
    set: (more) => void span.setAttributes(more),
    fail: (error) => {
      span.setAttribute(
        'error.type',
        String((error as { code?: string })?.code ?? (error as Error)?.name ?? 'error').slice(0, 100),
      );
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}
