/**
 * Measures the alerts of the world without a database: the server's normaliser and rules over the world's documents, correlations
 * judged over all hits of a group, repeats grouped. For tests and for `npm run figures -w @parapet/world`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CorrelationHit, countedValue, evaluateCorrelation, groupKeyOf } from '@parapet/sigma/correlate.ts';
import { compileRules } from '@parapet/sigma/matcher.ts';
import { type Correlation, loadRules, type SigmaRule } from '@parapet/sigma/rules.ts';
import { normalise } from '../../server/src/pipeline/normalise/normalise.ts';
import type { Document, Shipment } from '../src/types.ts';

const folder = join(import.meta.dirname, '../../../detections');
const groupingWindowMs = 3_600_000;

export interface Raised {
  /** The rule's file, without folder and ending: `windows/shadow-copies-deleted`. */
  rule: string;
  level: string;
  at: number;
  organisationId: number;
  device: string | undefined;
  user: string | undefined;
  count: number;
  /** `_id` of the document that raised it (the last one for a correlation). */
  documentId: string;
}

export interface Rules {
  rules: SigmaRule[];
  correlations: Correlation[];
  nameOf(id: string): string;
}

export function readRules(): Rules {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yml'))
    .sort()
    .map((name) => ({ file: name, text: readFileSync(join(folder, name), 'utf8') }));
  const { rules, correlations, faults } = loadRules(files);
  if (faults.length > 0) throw new Error(`A rule does not load: ${JSON.stringify(faults[0])}`);
  const names = new Map([...rules, ...correlations].map((rule) => [rule.id, rule.file.replace(/\.yml$/, '')]));
  return { rules, correlations, nameOf: (id) => names.get(id) ?? id };
}

type Found = Omit<Raised, 'rule' | 'level' | 'count'>;

interface Judged {
  correlation: Correlation;
  hits: CorrelationHit[];
}

/** Alerts after grouping. Correlations are judged over all hits at the end, so they come last. */
export function raise(shipments: Iterable<Shipment>, { rules, correlations, nameOf }: Rules) {
  const matcher = compileRules(rules);
  const alerts: Raised[] = [];
  const open = new Map<string, Raised & { lastAt: number }>();
  const groups = new Map<string, Judged>();
  const places = new Map<string, Found>();
  const devices = new Map<number, Set<string>>();
  const shapes = new Map<string, number>();
  let events = 0;

  const add = (rule: { id: string; level?: string | undefined }, key: string, found: Found) => {
    const groupKey = `${found.organisationId}|${rule.id}|${key}`;
    const before = open.get(groupKey);
    if (before && found.at - before.lastAt <= groupingWindowMs) {
      before.count++;
      before.lastAt = Math.max(before.lastAt, found.at);
      return;
    }
    const alert = { ...found, rule: nameOf(rule.id), level: rule.level ?? 'medium', count: 1, lastAt: found.at };
    open.set(groupKey, alert);
    alerts.push(alert);
  };
  const note = (rule: SigmaRule, document: Document, found: Found) => {
    for (const correlation of correlations) {
      if (!correlation.rules.includes(rule.id)) continue;
      const groupKey = groupKeyOf(correlation, rule, document);
      if (groupKey === undefined) continue;
      const key = `${found.organisationId}|${correlation.id}`;
      const judged = groups.get(key) ?? { correlation, hits: [] };
      groups.set(key, judged);
      const value = countedValue(correlation, rule, document);
      places.set(found.documentId, found);
      judged.hits.push({ ruleId: rule.id, at: found.at, groupKey, ref: found.documentId, ...(value !== undefined && { value }) });
    }
  };

  for (const { at: sentAt, organisationId, documents } of shipments)
    for (const { _id, _index, ...raw } of documents) {
      events++;
      const { document, claimedAt, deviceName, userName, shape } = normalise(structuredClone(raw), sentAt);
      shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
      if (deviceName) devices.set(organisationId, (devices.get(organisationId) ?? new Set()).add(deviceName));
      const found = { at: claimedAt ?? sentAt, organisationId, device: deviceName, user: userName, documentId: String(_id) };
      for (const rule of matcher.match(document)) {
        if (rule.standalone) add(rule, `${deviceName}|${userName}`, found);
        note(rule, document, found);
      }
    }
  // A correlation may read the matches of another one: bursts before what follows a burst.
  const isRead = new Map(correlations.map(({ id }) => [id, correlations.filter((other) => other.rules.includes(id))]));
  const byDepth = [...groups.values()].sort(
    (a, b) => isRead.get(b.correlation.id)!.length - isRead.get(a.correlation.id)!.length,
  );
  for (const { correlation, hits } of byDepth)
    for (const firing of evaluateCorrelation(correlation, hits)) {
      const last = firing.hits.at(-1)!;
      const found = { ...places.get(last.ref)!, at: firing.at };
      if (correlation.standalone) add(correlation, firing.groupKey, found);
      for (const reader of isRead.get(correlation.id)!) {
        const judged = groups.get(`${found.organisationId}|${reader.id}`);
        judged?.hits.push({ ruleId: correlation.id, at: firing.at, groupKey: firing.groupKey, ref: last.ref });
      }
    }
  return { alerts, events, shapes, devices };
}

export function countBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return new Map([...counts].sort((a, b) => b[1] - a[1]));
}
