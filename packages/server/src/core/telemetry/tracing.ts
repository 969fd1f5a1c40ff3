/**
 * Spans of a request, a batch, a job and their statements. Off until an exporter is set (otlp.ts): then each call here costs one comparison, and
 * nothing of OpenTelemetry is loaded.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  readonly traceId: string;
  set(attributes: Attributes): void;
  /** Marks it as failed. Texts of errors may hold content, so only their kind is kept. */
  fail(error: unknown): void;
  end(): void;
}

export interface SpanOptions {
  kind: 'server' | 'client' | 'internal';
  attributes: Attributes;
  /** `performance.now()` of its start; now by default. */
  startedAt?: number;
  parent: Span | undefined;
}

export type Exporter = (name: string, options: SpanOptions) => Span;

let exporter: Exporter | undefined;
const current = new AsyncLocalStorage<Span>();

/** Starts tracing in this process; returns how to stop it. */
export function traceWith(started: Exporter): () => void {
  exporter = started;
  return () => {
    if (exporter === started) exporter = undefined;
  };
}

export const isTracing = (): boolean => exporter !== undefined;

/** A span of its own trace, to be ended by the caller; undefined while tracing is off. */
export const startSpan = (name: string, attributes: Attributes): Span | undefined =>
  exporter?.(name, { kind: 'server', attributes, parent: undefined });

/** Runs `work` with the span as the parent of those within. */
export const within = <T>(span: Span | undefined, work: () => T): T => (span ? current.run(span, work) : work());

/** Runs `work` in a span below the present one, or in a trace of its own. */
export async function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (!exporter) return work();
  const span = exporter(name, { kind: 'internal', attributes, parent: current.getStore() });
  try {
    return await current.run(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Empty outside of a trace. */
export const currentTraceId = (): string => (exporter && current.getStore()?.traceId) ?? '';

/** Adds to the present span. */
export function annotate(attributes: Attributes): void {
  if (exporter) current.getStore()?.set(attributes);
}

/** A statement that ended, below the present span; without one it is left out. `started`: `performance.now()`. */
export function traceStatement(table: string, statement: string, started: number, error?: unknown): void {
  if (!exporter) return;
  const parent = current.getStore();
  if (!parent) return;
  const command = /^\s*(\w+)/.exec(statement)?.[1]?.toUpperCase() ?? 'SQL';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': command,
    'db.collection.name': table,
    // Parameters are apart from the text.
    'db.query.text': statement.slice(0, 2_000),
  };
  const span = exporter(`${command} ${table}`, { kind: 'client', attributes, startedAt: started, parent });
  if (error) span.fail(error);
  span.end();
}
