/**
 * Multi-stage intrusions and benign days as alerts of the product's rules, for measuring correlation. A stage is one line of text:
 * `day hh:mm | devices | user | rules | times/minutes between | extras`. `{01-20}` in a device stands for 20 devices, each 20 seconds after
 * the one before, and in a user for the same position. `-` means none. Extras: `ip` (the device's address), `from` (source address), `named`
 * (source host name), `to` (destination address), `reaches` (destination host name), `proc=child<parent`, `hash`, `sid` (last part).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { criticalityOf, type Severity } from '@parapet/contract/primitives.ts';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { readRuleFiles } from '../src/pipeline/detector.ts';

/** `-reserve`: written after the change and run once. */
export type CorpusName = 'intrusions' | 'benign-days' | 'intrusions-reserve' | 'benign-days-reserve';

export interface Scenario {
  slug: string;
  title: string;
  stages: string[];
  /** Stages of each of the ten days that end with day 0. */
  daily?: string[];
}

export interface CorpusAlert {
  scenario: string;
  /** Slug below `detections/`. */
  rule: string;
  at: number;
  device: string;
  user: string | null;
  document: Record<string, unknown>;
}

/** Day 0 of every scenario. */
export const corpusStart = Date.parse('2026-10-12T00:00:00Z');

const corpusFile = (name: string) => fileURLToPath(new URL(`./corpus/${name}.json`, import.meta.url));
const textOf = (name: string) => readFileSync(corpusFile(name), 'utf8');

export const readCorpus = (name: CorpusName): Scenario[] => JSON.parse(textOf(name)).scenarios as Scenario[];

/** SHA-256 of a corpus without its layout. The corpora were locked before the rules of correlation were changed. */
export const corpusHash = (name: CorpusName): string =>
  createHash('sha256')
    .update(JSON.stringify(JSON.parse(textOf(name))))
    .digest('hex');

/** `WS-{01-03}` as WS-01, WS-02, WS-03. */
function spread(pattern: string): string[] {
  const range = /\{(\d+)-(\d+)\}/.exec(pattern);
  if (!range) return [pattern];
  const [whole, first, last] = range as unknown as [string, string, string];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) =>
    pattern.replace(whole, String(Number(first) + index).padStart(first.length, '0')),
  );
}

const idOf = (...parts: string[]) => `{${createHash('md5').update(parts.join(' ')).digest('hex')}}`;
const hashOf = (scenario: string, token: string) => createHash('sha256').update(`${scenario} ${token}`).digest('hex');

function documentOf(
  scenario: string,
  device: string,
  user: string | null,
  extras: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const of = (name: string) => extras.get(name);
  const [child, parent] = (of('proc') ?? '').split('<');
  const [account, domain] = user?.includes('\\') ? user.split('\\').reverse() : [user, undefined];
  const host = device.toLowerCase().split('.')[0]!;
  return {
    host: { name: device, ...(of('ip') && { ip: [of('ip')] }) },
    ...(user && {
      user: { name: account, ...(domain && { domain }), ...(of('sid') && { id: `S-1-5-21-100-200-300-${of('sid')}` }) },
    }),
    ...((of('from') || of('named')) && { source: { ip: of('from'), domain: of('named') } }),
    ...((of('to') || of('reaches')) && { destination: { ip: of('to'), domain: of('reaches') } }),
    ...((child || of('hash')) && {
      process: {
        executable: 'C:\\ProgramData\\x.exe',
        ...(child && { entity_id: idOf(scenario, host, child), parent: { entity_id: idOf(scenario, host, parent ?? '') } }),
        ...(of('hash') && { hash: { sha256: hashOf(scenario, of('hash')!) } }),
      },
    }),
  };
}

function alertsOfStage(scenario: string, stage: string, day: number): CorpusAlert[] {
  const [when, devices, users, rules, repeats, given] = stage.split('|').map((part) => part.trim()) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const [ownDay, clock] = when.split(' ') as [string, string];
  const [hours, minutes] = clock.split(':').map(Number) as [number, number];
  const begin = corpusStart + (day + Number(ownDay)) * dayMs + (hours * 60 + minutes) * minuteMs;
  const extras = new Map((given === '-' ? [] : given.split(' ')).map((extra) => extra.split(/=(.*)/s) as [string, string]));
  const [times, gap = 0] = repeats.split('/').map(Number) as [number, number?];
  const places = spread(devices);
  const people = spread(users);
  const pairs = Array.from({ length: Math.max(places.length, people.length) }, (_, index) => ({
    device: places[index % places.length]!,
    user: users === '-' ? null : people[index % people.length]!,
  }));
  return Array.from({ length: times }, (_, round) =>
    pairs.flatMap(({ device, user }, place) =>
      rules.split(',').map(
        (rule, index): CorpusAlert => ({
          scenario,
          rule: rule.trim(),
          at: begin + round * gap * minuteMs + place * 20_000 + index * 45_000,
          device,
          user,
          document: documentOf(scenario, device, user, extras),
        }),
      ),
    ),
  ).flat();
}

/** Alerts of a scenario in order of time; the days before day 0 included. */
export function alertsOf({ slug, stages, daily = [] }: Scenario): CorpusAlert[] {
  const days = daily.length > 0 ? Array.from({ length: 10 }, (_, index) => index - 9) : [];
  return [
    ...days.flatMap((day) => daily.flatMap((stage) => alertsOfStage(slug, stage, day))),
    ...stages.flatMap((stage) => alertsOfStage(slug, stage, 0)),
  ].sort((a, b) => a.at - b.at);
}

export interface CorpusRule {
  title: string;
  criticality: number;
  tactics: string[];
}

/** Title, criticality and tactics of the product's rules, by slug. */
export async function readCorpusRules(): Promise<Map<string, CorpusRule>> {
  const files = await readRuleFiles(fileURLToPath(new URL('../../../detections', import.meta.url)));
  const rules = new Map<string, CorpusRule>();
  for (const { file, text } of files) {
    const title = /^title: (.*)$/m.exec(text)?.[1] ?? '';
    const level = (/^level: (\w+)$/m.exec(text)?.[1] ?? 'medium') as Severity;
    const tags = [...text.matchAll(/^ {2}- attack\.([a-z-]+)$/gm)].map((tag) => tag[1]!);
    const slug = /detections\/(.*)\.ya?ml$/.exec(file)?.[1];
    if (slug) rules.set(slug, { title, criticality: criticalityOf[level], tactics: tags });
  }
  return rules;
}
