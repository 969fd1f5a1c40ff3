/**
 * Everyday events of a fleet as JSON lines: the demo world's last month, repeated with new ids, times and device names. One in
 * fifty triggers a product rule. Deterministic.
 */
import { fileURLToPath } from 'node:url';
import { readRuleFiles } from '@parapet/server/pipeline/detector.ts';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { compileRules } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import { history } from '@parapet/world/history.ts';

export const rulesDir = fileURLToPath(new URL('../detections', import.meta.url));
const knownShare = 0.02;

export interface Sent {
  id: string;
  index: string;
  line: string;
}

interface Template {
  index: string;
  /** The line, split at times and device names. */
  parts: string[];
}

const time = '\u0001';
const device = '\u0002';

/** Endless event source; `at` is their timestamp in ms since 1970. */
export async function fleet(): Promise<(count: number, at: number, kind?: 'mixed' | 'known') => Sent[]> {
  const { rules } = loadRules(await readRuleFiles(rulesDir));
  const matcher = compileRules(rules);
  const known: Template[] = [];
  const quiet: Template[] = [];
  for (const shipment of history({ seed: 'bench', now: Date.UTC(2026, 10, 20, 12), months: 1 })) {
    for (const { _id, _index, ...document } of shipment.documents) {
      const template = { index: String(_index ?? shipment.index), parts: cut(document) };
      if (!isTimed(template)) continue;
      const matches = matcher.match(normalise(structuredClone(document), shipment.at).document);
      if (matches.some((rule) => rule.standalone)) known.push(template);
      else if (matches.length === 0) quiet.push(template);
    }
  }
  let sent = 0;
  return (count, at, kind = 'mixed') =>
    Array.from({ length: count }, () => {
      const n = sent++;
      const isKnown = kind === 'known' || n % Math.round(1 / knownShare) === 0;
      const from = isKnown ? known : quiet;
      const { index, parts } = from[(n * 7_919) % from.length] as Template;
      const shown = new Date(at + (n % 1_000)).toISOString();
      const suffix = `-${n % 4}`;
      let line = '';
      for (const part of parts) line += part === time ? shown : part === device ? suffix : part;
      return { id: `bench-${n.toString(36)}`, index, line };
    });
}

/** False for lines with a time of their own, which would stay that of the demo’s past. */
function isTimed({ parts }: Template): boolean {
  const at = new Date(shownAt).toISOString();
  const line = parts.map((part) => (part === time ? at : part === device ? '' : part)).join('');
  return normalise(JSON.parse(line) as Record<string, unknown>, shownAt).claimedAt === shownAt;
}
const shownAt = Date.UTC(2026, 10, 20);

function cut(document: Record<string, unknown>): string[] {
  let line = JSON.stringify(document);
  const { host } = document as { host?: string | { name?: string } };
  const name = typeof host === 'string' ? host : host?.name;
  if (name) line = line.replaceAll(`"${name}"`, `"${name}${device}"`);
  line = line.replace(/"(@timestamp|CreationTime|createdDateTime)":"[^"]*"/g, `"$1":"${time}"`);
  return line.split(/([\u0001\u0002])/).filter((part) => part !== '');
}
