/** Settings of the export by OpenTelemetry, by the names of its specification. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { z } from 'zod';

export interface OtlpConfig {
  /** Base address, without a trailing slash. */
  endpoint: string;
  headers: Record<string, string>;
  serviceName: string;
  /** Part of the traces that is exported, 0 to 1. */
  sampleRatio: number;
  metricsEveryMs: number;
}

/** `name=value` pairs, values in percent-encoding, between commas. */
function headersOf(text: string, context: z.RefinementCtx): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([\w-]{1,100})\s*=(.*)$/.exec(pair) ?? [];
    try {
      if (name === undefined || value === undefined) throw new TypeError();
      headers[name] = decodeURIComponent(value.trim());
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a list such as name=value,other=value' });
      return z.NEVER;
    }
  }
  return headers;
}

export const otlpSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be a whole address, such as http://localhost:4318' })
    .max(1000)
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().max(4000).default('').transform(headersOf),
  OTEL_SERVICE_NAME: z.string().min(1).max(100).default('parapet'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce.number().int().min(1000).max(hourMs).default(60_000),
};

/** Undefined without an endpoint. */
export const otlpOf = (e: z.output<z.ZodObject<typeof otlpSettings>>): OtlpConfig | undefined =>
  e.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: e.OTEL_EXPORTER_OTLP_HEADERS,
        serviceName: e.OTEL_SERVICE_NAME,
        sampleRatio: e.OTEL_TRACES_SAMPLER_ARG,
        metricsEveryMs: e.OTEL_METRIC_EXPORT_INTERVAL,
      };
