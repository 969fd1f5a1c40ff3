/**
 * Parses OSV advisories (ossf.github.io/osv-schema, 1.6), EPSS scores and CISA’s known exploited vulnerabilities. The files are untrusted: only
 * expected fields are read, texts and lists are truncated, nothing recurses.
 */
import { storable } from '../../core/db/like.ts';
import { isFields, type Skips } from './advisories.records.ts';
import { cvssOf, severityOfLabel, severityOfScore } from './cvss.ts';
import { baseOf, ecosystemKey, orderOf, packageKey } from './versions.ts';

/** Count of skipped entries and the reasons of the first ones. */
export class SkipList implements Skips {
  count = 0;
  readonly texts: string[] = [];
  add(why: string): void {
    this.count++;
    if (this.texts.length < 50) this.texts.push(storable(why).slice(0, 500));
  }
}

export interface AdvisoryRange {
  ecosystem: string;
  package: string;
  /** "0" means from the beginning; empty when only `versions` applies. */
  introduced: string;
  fixed: string | null;
  lastAffected: string | null;
  versions: string[];
}

export interface Advisory {
  id: string;
  cve: string;
  aliases: string[];
  title: string;
  details: string;
  cvss: number | null;
  /** Empty when unspecified. */
  severity: string;
  ecosystem: string;
  modifiedAt: string;
  withdrawnAt: string | null;
  ranges: AdvisoryRange[];
}

const max = { affected: 3_000, ranges: 300, events: 1_000, versions: 5_000, aliases: 200, version: 255, name: 255 } as const;
const cvePattern = /^CVE-\d{4}-\d{4,19}$/;
export const isCve = (text: string): boolean => cvePattern.test(text);
const idPattern = /^[\w.:@/+-]{1,200}$/;

export const listIn = (value: unknown, limit?: number): unknown[] => (Array.isArray(value) ? value.slice(0, limit) : []);
export const textIn = (value: unknown, limit: number): string =>
  typeof value === 'string' ? storable(value.slice(0, limit)).trim() : '';
/** ISO 8601; undefined for values that are no storable time. */
export function timeIn(value: unknown): string | undefined {
  const at = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN;
  return at >= 0 && at < Date.UTC(9999, 0, 1) ? new Date(at).toISOString() : undefined;
}

/** Distributions list the CVEs an advisory fixes in "related". */
const ofDistribution = /^(DSA|DLA|USN|RHSA|RHBA|RHEA|ALSA|ALBA|RLSA|SUSE|openSUSE|MGASA)\b/;

/** Returns undefined for records without a usable id. */
export function readAdvisory(record: Record<string, unknown>, now: number, skips: Skips): Advisory | undefined {
  const id = textIn(record.id, 201);
  if (!idPattern.test(id)) {
    skips.add(id === '' ? 'An entry has no ID.' : `"${id.slice(0, 100)}" is not a valid advisory ID.`);
    return undefined;
  }
  const named = (key: string) =>
    listIn(record[key], max.aliases).flatMap((each) => {
      const text = textIn(each, 201);
      return idPattern.test(text) && text !== id ? [text] : [];
    });
  const known = [...new Set([...named('aliases'), ...named('upstream')])];
  const aliases = [id, ...known].some(isCve) || !ofDistribution.test(id) ? known : [...new Set([...known, ...named('related')])];
  const cve = isCve(id) ? id : (aliases.find(isCve) ?? id);
  const details = textIn(record.details, 5_000);
  const title = textIn(record.summary, 300) || (details.split('\n', 1)[0] ?? '').slice(0, 300) || id;
  const ranges = listIn(record.affected, max.affected).flatMap((each) => rangesOf(id, each, skips));
  if (Array.isArray(record.affected) && record.affected.length > max.affected)
    skips.add(`${id}: only the first ${max.affected} of ${record.affected.length} affected packages were read.`);
  const cvss = scoreOf(record) ?? null;
  return {
    id,
    cve,
    aliases: [id, ...aliases].filter((each) => each !== cve),
    title,
    details,
    cvss,
    severity: wordOf(record) ?? (cvss === null ? '' : severityOfScore(cvss)),
    ecosystem: baseOf(ranges[0]?.ecosystem ?? ''),
    modifiedAt: timeIn(record.modified) ?? timeIn(record.published) ?? new Date(now).toISOString(),
    withdrawnAt: timeIn(record.withdrawn) ?? null,
    ranges,
  };
}

/** Score of the advisory or of its packages; CVSS version 3 preferred as the most common. */
function scoreOf(record: Record<string, unknown>): number | undefined {
  const entries = [record, ...listIn(record.affected, 50)].flatMap((each) => (isFields(each) ? listIn(each.severity, 20) : []));
  for (const type of ['CVSS_V3', 'CVSS_V4', 'CVSS_V2'])
    for (const entry of entries) {
      const score = isFields(entry) && entry.type === type ? cvssOf(textIn(entry.score, 400)) : undefined;
      if (score !== undefined) return score;
    }
  return undefined;
}

/** GitHub rates the advisory, Debian and Ubuntu each package. */
function wordOf(record: Record<string, unknown>): string | undefined {
  const places = [record, ...listIn(record.affected, 50)].filter(isFields);
  for (const place of places)
    for (const specific of [place.database_specific, place.ecosystem_specific])
      if (isFields(specific)) {
        const word =
          severityOfLabel(specific.severity) ?? severityOfLabel(specific.urgency) ?? severityOfLabel(specific.ubuntu_priority);
        if (word) return word;
      }
  for (const place of places)
    for (const entry of listIn(place.severity, 20)) {
      const word = isFields(entry) && entry.type === 'Ubuntu' ? severityOfLabel(entry.score) : undefined;
      if (word) return word;
    }
  return undefined;
}

function rangesOf(id: string, affected: unknown, skips: Skips): AdvisoryRange[] {
  const named = isFields(affected) && isFields(affected.package) ? affected.package : undefined;
  const ecosystem = ecosystemKey(textIn(named?.ecosystem, 60));
  const name = packageKey(ecosystem, textIn(named?.name, max.name));
  if (!isFields(affected) || ecosystem === '' || name === '') {
    // Commit ranges name no package.
    const isOfCommits =
      isFields(affected) && listIn(affected.ranges, max.ranges).some((range) => isFields(range) && range.type === 'GIT');
    if (!isOfCommits) skips.add(`${id}: an affected package has no ecosystem or no name.`);
    return [];
  }
  const of = (part: Partial<AdvisoryRange>): AdvisoryRange => ({
    ecosystem,
    package: name,
    introduced: '',
    fixed: null,
    lastAffected: null,
    versions: [],
    ...part,
  });
  const compare = orderOf(ecosystem);
  const ranges = compare
    ? listIn(affected.ranges, max.ranges).flatMap((range) =>
        isFields(range) && range.type !== 'GIT' ? spansOf(listIn(range.events, max.events), compare).map(of) : [],
      )
    : [];
  const versions = [...new Set(listIn(affected.versions, max.versions).map((each) => textIn(each, max.version)))].filter(
    (version) => version !== '' && !ranges.some((range) => isWithin(version, range, ecosystem)),
  );
  if (Array.isArray(affected.versions) && affected.versions.length > max.versions)
    skips.add(`${id}: only the first ${max.versions} of ${affected.versions.length} versions of ${name} were read.`);
  if (versions.length > 0) ranges.push(of({ versions }));
  if (ranges.length === 0)
    skips.add(
      compare
        ? `${id}: lists no version of ${name}.`
        : `${id}: ${baseOf(ecosystem)} versions cannot be ordered and none are listed explicitly.`,
    );
  return ranges;
}

type Event = { at: string; kind: 'introduced' | 'fixed' | 'last_affected' };

/** Sorts events by version and pairs each introduction with the next end. */
function spansOf(events: readonly unknown[], compare: NonNullable<ReturnType<typeof orderOf>>): Partial<AdvisoryRange>[] {
  const read = events.flatMap((event): Event[] => {
    if (!isFields(event)) return [];
    for (const kind of ['introduced', 'fixed', 'last_affected'] as const) {
      const at = textIn(event[kind], max.version);
      if (at !== '') return [{ at, kind }];
    }
    return [];
  });
  const place = (a: string, b: string) => (a === b ? 0 : a === '0' ? -1 : b === '0' ? 1 : (compare(a, b) ?? 0));
  const spans: Partial<AdvisoryRange>[] = [];
  let introduced: string | undefined;
  for (const { at, kind } of read.sort((a, b) => place(a.at, b.at))) {
    if (kind === 'introduced') introduced ??= at;
    else if (introduced !== undefined) {
      spans.push({ introduced, ...(kind === 'fixed' ? { fixed: at } : { lastAffected: at }) });
      introduced = undefined;
    }
  }
  if (introduced !== undefined) spans.push({ introduced });
  return spans;
}

/** Returns whether a version is affected in its ecosystem’s order; versions that cannot be ordered match only when listed. */
export function isWithin(
  version: string,
  { introduced, fixed, lastAffected, versions }: Pick<AdvisoryRange, 'introduced' | 'fixed' | 'lastAffected' | 'versions'>,
  ecosystem: string,
): boolean {
  if (versions.includes(version)) return true;
  const compare = orderOf(ecosystem);
  if (introduced === '' || !compare) return false;
  const isSince = introduced === '0' || (compare(version, introduced) ?? -1) >= 0;
  if (!isSince) return false;
  if (fixed !== null) return (compare(version, fixed) ?? 1) < 0;
  if (lastAffected !== null) return (compare(version, lastAffected) ?? 1) <= 0;
  // Versions this order cannot place are not matched.
  return compare(version, version) !== undefined;
}

export interface EpssRow {
  cve: string;
  score: number;
}
/** One EPSS line: a `row`, the date of a comment, or nothing. */
export function readEpssLine(line: string, skips: Skips): { row?: EpssRow; day?: string } {
  const text = line.replace(/^\uFEFF/, '').trim();
  if (text === '') return {};
  if (text.startsWith('#')) {
    const day = /score_date:(\d{4}-\d{2}-\d{2})/.exec(text)?.[1];
    return day !== undefined && timeIn(day) !== undefined ? { day } : {};
  }
  const [cve = '', score = ''] = text.split(',', 3).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  if (/^cve$/i.test(cve)) return {};
  const value = /^\d*\.?\d+(e-?\d+)?$/i.test(score) ? Number(score) : Number.NaN;
  if (isCve(cve.toUpperCase()) && value >= 0 && value <= 1) return { row: { cve: cve.toUpperCase(), score: value } };
  skips.add(`"${text.slice(0, 100)}" is not a CVE with a score from 0 to 1.`);
  return {};
}

export interface ExploitedRow {
  cve: string;
  name: string;
  addedAt: string | null;
  dueAt: string | null;
}
/** `isWhole` when the list is complete, so entries missing from it were removed. */
export function readExploited(
  list: Record<string, unknown>,
  skips: Skips,
): { rows: ExploitedRow[]; isWhole: boolean } | undefined {
  if (!Array.isArray(list.vulnerabilities)) return undefined;
  const rows = new Map<string, ExploitedRow>();
  for (const each of list.vulnerabilities) {
    const cve = isFields(each) ? textIn(each.cveID, 40).toUpperCase() : '';
    if (!isFields(each) || !isCve(cve)) {
      skips.add(cve === '' ? 'An entry names no CVE.' : `"${cve}" is not a CVE.`);
      continue;
    }
    const day = (value: unknown) => timeIn(value)?.slice(0, 10) ?? null;
    rows.set(cve, { cve, name: textIn(each.vulnerabilityName, 300), addedAt: day(each.dateAdded), dueAt: day(each.dueDate) });
  }
  return { rows: [...rows.values()], isWhole: list.count === list.vulnerabilities.length && list.count === rows.size };
}
