/**
 * Alerts on benign events, before grouping: every event of the model is normalised and matched as at the intake, correlations included, and
 * each match that would raise an alert counts. The budget is the product’s promise of quiet.
 */
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import type { Correlation, SigmaRule } from '@parapet/sigma/rules.ts';
import { correlationStream } from '@parapet/sigma/stream.ts';
import { benignEvents, sources } from './benign/model.ts';
import { compiled } from './pairs.ts';

export const levels = ['critical', 'high', 'medium', 'low', 'informational'] as const;
export type Level = (typeof levels)[number];

/** Alerts per 1,000 events, of the whole and of each source alone. */
export const budget = { severe: 0.02, all: 1 };

export interface RuleNoise {
  file: string;
  level: Level;
  /** Alerts by source. */
  alerts: Record<string, number>;
  /** Summaries of the first events. */
  examples: string[];
}

export interface Noise {
  events: Record<string, number>;
  rules: Record<string, RuleNoise>;
}

export interface Run {
  seed: number;
  count: number;
  days: number;
}

/** A Monday, so that the first days are working days. */
const start = Date.UTC(2026, 10, 16, 5);
const maxExamples = 3;

/** Counts the alerts of one client’s run. */
export function measureNoise({ seed, count, days }: Run): Noise {
  const { matcher, correlations } = compiled();
  const stream = correlationStream(correlations);
  const noise: Noise = { events: Object.fromEntries(sources.map((source) => [source, 0])), rules: {} };
  const add = (rule: SigmaRule | Correlation, source: string, example: string) => {
    noise.rules[rule.file] ??= { file: rule.file, level: levelOf(rule), alerts: {}, examples: [] };
    const known = noise.rules[rule.file]!;
    known.alerts[source] = (known.alerts[source] ?? 0) + 1;
    if (known.examples.length < maxExamples) known.examples.push(example.slice(0, 600));
  };
  let number = 0;
  for (const { source, at, document } of benignEvents({ seed, count, days, start })) {
    const { document: normal, text } = normalise(document, at);
    noise.events[source] = (noise.events[source] ?? 0) + 1;
    // Rules of the portal match only its own events.
    const matches = matcher.match(normal).filter(({ logsource }) => logsource.product !== 'portal');
    for (const rule of matches) if (rule.standalone) add(rule, source, text);
    for (const { correlation } of stream.add(matches, normal, at, String(number++)))
      if (correlation.standalone) add(correlation, source, text);
  }
  for (const { correlation } of stream.end()) if (correlation.standalone) add(correlation, 'end', '');
  return noise;
}

const levelOf = ({ level }: { level?: string }): Level => levels.find((known) => known === level) ?? 'medium';

/** Sums runs of several clients. */
export function sumNoise(runs: readonly Noise[]): Noise {
  const sum: Noise = { events: {}, rules: {} };
  for (const { events, rules } of runs) {
    for (const [source, count] of Object.entries(events)) sum.events[source] = (sum.events[source] ?? 0) + count;
    for (const { file, level, alerts, examples } of Object.values(rules)) {
      sum.rules[file] ??= { file, level, alerts: {}, examples: [] };
      const known = sum.rules[file]!;
      for (const [source, count] of Object.entries(alerts)) known.alerts[source] = (known.alerts[source] ?? 0) + count;
      known.examples = [...known.examples, ...examples].slice(0, maxExamples);
    }
  }
  return sum;
}

export interface SourceNoise {
  source: string;
  events: number;
  alerts: Record<Level, number>;
  /** Alerts of high and critical per 1,000 events. */
  severe: number;
  all: number;
  isWithin: boolean;
}

/** Figures of each source and, last, of the whole. */
export function figuresOf(noise: Noise, limits = budget): SourceNoise[] {
  const names = Object.keys(noise.events);
  return [...names, 'total'].map((source) => {
    const alerts = Object.fromEntries(levels.map((level) => [level, 0])) as Record<Level, number>;
    for (const rule of Object.values(noise.rules))
      alerts[rule.level] += source === 'total' ? alertsOf(rule) : (rule.alerts[source] ?? 0);
    const events =
      source === 'total' ? Object.values(noise.events).reduce((sum, count) => sum + count, 0) : noise.events[source]!;
    const perThousand = (count: number) => (events === 0 ? 0 : (count / events) * 1_000);
    const severe = perThousand(alerts.critical + alerts.high);
    const all = perThousand(levels.reduce((sum, level) => sum + alerts[level], 0));
    return { source, events, alerts, severe, all, isWithin: severe <= limits.severe && all <= limits.all };
  });
}

export const alertsOf = ({ alerts }: RuleNoise): number => Object.values(alerts).reduce((sum, count) => sum + count, 0);
