/** Pure parts of the vulnerability pages: hidden scores, numbers and names as texts. */
import { type FeedKind, feedTitles } from '@parapet/contract/advisoryFeeds.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Finding, vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { exact } from '../../kit/numbers.ts';
import { dateText } from '../../kit/time.ts';

export type FindingState = Finding['state'];
export type Stats = AnswerOf<typeof vulnerabilitiesApi.customer>;

export const stateLabel: Record<FindingState, string> = { open: 'Open', accepted: 'Accepted', fixed: 'Fixed' };
export const sourceLabel = (source: string): string =>
  ({ agent: 'Our agent’s inventory', trivy: 'Trivy', cyclonedx: 'CycloneDX' })[source] ?? source;

/** spec §5: a score of −1 hides the vulnerability display and sets all values to zero. */
export function shownOf(stats: Stats): Stats & { isMeasured: boolean } {
  if (stats.score >= 0) return { ...stats, score: Math.min(100, stats.score), isMeasured: true };
  return {
    ...stats,
    isMeasured: false,
    score: 0,
    online: 0,
    scanned: 0,
    monitored: 0,
    open: 0,
    knownExploited: 0,
    meanDaysToFix: null,
    categories: stats.categories.map((category) => ({ ...category, score: 0 })),
  };
}

/** Probability from 0 to 1 as a percentage: 0.97 → 97%, 0.0043 → 0.43%. */
export function chanceText(chance: number): string {
  const percent = chance * 100;
  if (percent > 0 && percent < 0.01) return '< 0.01%';
  return `${percent >= 10 ? Math.round(percent) : Math.round(percent * 100) / 100}%`;
}

/** Origin of a score or listing: "of 27 Nov 2026, read 28 Nov 2026"; days in UTC, times in the viewer's zone. */
export function readText(day: string | null, readAt: string | null, isInvented: boolean, timeZone: string | undefined): string {
  return [
    day !== null && `of ${dateText(Date.parse(day), 'UTC')}`,
    readAt !== null && `read ${dateText(Date.parse(readAt), timeZone)}`,
    isInvented && 'invented for this demo',
  ]
    .filter(Boolean)
    .join(', ');
}

/** Mark of an invented value. */
export const inventedMark = ({ isInvented }: Pick<Finding, 'isInvented'>): string => (isInvented ? ' (demo)' : '');

export const daysText = (days: number): string => (days === 1 ? '1 day' : `${exact(Math.round(days * 10) / 10)} days`);

/** External page about a CVE or OSV id; undefined for unknown ids. */
export function pageAbout(id: string): { name: string; url: string } | undefined {
  if (/^CVE-\d{4}-\d{4,19}$/.test(id)) return { name: 'NVD', url: `https://nvd.nist.gov/vuln/detail/${id}` };
  if (/^[A-Z][A-Za-z]{1,15}-[\w:.-]{2,60}$/.test(id))
    return { name: 'OSV', url: `https://osv.dev/vulnerability/${encodeURIComponent(id)}` };
  return undefined;
}

export type AdvisoryKind = 'osv' | 'epss' | 'kev';
/** Detects the kind of an advisory file by its first characters. */
export function kindOf(head: string): AdvisoryKind {
  const text = head.replace(/^\uFEFF/, '').trimStart();
  if (!/^[[{]/.test(text)) return 'epss';
  return /"(catalogVersion|vulnerabilityName|dateAdded|requiredAction)"\s*:/.test(text) ? 'kev' : 'osv';
}

export const originLabel = { feed: 'Feed', file: 'File', demo: 'Invented for this demo' } as const;

/** True when never imported, or more than 30 days ago. */
export const isOld = (importedAt: string | null, now: number): boolean =>
  importedAt === null || now - Date.parse(importedAt) > 30 * dayMs;

export const sourceName = (kind: string): string => (kind in feedTitles ? feedTitles[kind as FeedKind] : kind);
