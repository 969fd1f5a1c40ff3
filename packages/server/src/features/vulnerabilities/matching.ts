/** Matches packages with advisories. Pure; cost grows with the advisories of a package, not with their total. */
import type { Severity } from '@parapet/contract/primitives.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { isCve, isWithin } from './advisories.formats.ts';
import { severityOfLabel, severityOfScore } from './cvss.ts';
import type { Reported } from './scans.formats.ts';
import type { ScannedPackage } from './scans.packages.ts';
import { advisoryName, ecosystemKey, orderOf } from './versions.ts';

/** A range of an advisory that is not withdrawn. */
export interface KnownRange {
  ecosystem: string;
  package: string;
  introduced: string;
  fixed: string | null;
  lastAffected: string | null;
  versions: string[];
  advisory: string;
  cve: string;
  aliases: string[];
  title: string;
  severity: string;
}

/** Facts about a CVE from all sources. */
export interface CveFacts {
  cvss: number | null;
  severities: string[];
  epss: number | null;
  isKnownExploited: boolean;
  /** True for an EPSS score or a known exploitation that the demo invented. */
  isInvented: boolean;
}

/** A weakness of a device before CVE facts are added. */
export interface Match extends Reported {
  /** Package names under which its programs may listen. */
  packages: string[];
}

export const rangeKey = (ecosystem: string, name: string): string => `${ecosystem}\0${name}`;
const keyOf = ({ cve, package: name, ecosystem }: Reported): string => `${cve}\0${name}\0${ecosystem}`;

/** Installed packages by advisory name, each with its versions and own names. */
export interface Installed {
  ecosystem: string;
  package: string;
  versions: Set<string>;
  names: Set<string>;
}

export function installedOf(packages: Iterable<ScannedPackage>): Map<string, Installed> {
  const installed = new Map<string, Installed>();
  for (const each of packages) {
    const ecosystem = ecosystemKey(each.ecosystem);
    const name = advisoryName({ ...each, ecosystem });
    const key = rangeKey(ecosystem, name);
    let known = installed.get(key);
    if (!known) {
      known = { ecosystem, package: name, versions: new Set(), names: new Set([name]) };
      installed.set(key, known);
    }
    known.versions.add(each.version);
    known.names.add(each.name);
  }
  return installed;
}

/** One match per CVE and package, for the oldest affected version. */
export function matchesOf(installed: Iterable<Installed>, rangesOf: (key: string) => readonly KnownRange[]): Match[] {
  const matches = new Map<string, Match>();
  for (const { ecosystem, package: name, versions, names } of installed) {
    const ranges = rangesOf(rangeKey(ecosystem, name));
    if (ranges.length === 0) continue;
    for (const version of inOrder(versions, ecosystem))
      for (const range of ranges) {
        if (!isWithin(version, range, ecosystem)) continue;
        for (const match of matchesOfRange(range, version, [...names])) join(matches, match, ecosystem);
      }
  }
  return [...matches.values()];
}

function inOrder(versions: ReadonlySet<string>, ecosystem: string): string[] {
  const compare = orderOf(ecosystem);
  return [...versions].sort((a, b) => compare?.(a, b) ?? (a < b ? -1 : 1));
}

/** Splits a distribution’s advisory into one match per CVE. */
function matchesOfRange(range: KnownRange, version: string, packages: string[]): Match[] {
  const cves = [range.cve, ...range.aliases.filter((alias) => alias !== range.cve && isCve(alias))];
  const others = range.aliases.filter((alias) => !isCve(alias));
  return cves.map((cve) => ({
    cve,
    aliases: [...new Set([range.advisory, ...others])].filter((alias) => alias !== cve),
    title: range.title,
    ecosystem: range.ecosystem,
    package: range.package,
    installedVersion: version,
    fixedVersion: range.fixed,
    severity: severityOfLabel(range.severity) ?? '',
    cvss: null,
    packages,
  }));
}

/** Merges advisories of the same weakness: fixed only where all are fixed. */
function join(matches: Map<string, Match>, match: Match, ecosystem: string): void {
  const known = matches.get(keyOf(match));
  if (!known) {
    matches.set(keyOf(match), match);
    return;
  }
  known.aliases = [...new Set([...known.aliases, ...match.aliases])];
  if (known.title === known.cve || known.aliases.includes(known.title)) known.title = match.title;
  known.severity = worse(known.severity, match.severity);
  // Show the fix of the older version installed side by side.
  if (known.installedVersion !== match.installedVersion || match.fixedVersion === null) return;
  const isLater = known.fixedVersion === null || (orderOf(ecosystem)?.(match.fixedVersion, known.fixedVersion) ?? 0) > 0;
  if (isLater) known.fixedVersion = match.fixedVersion;
}

/** Scanner-reported findings override matched ones. */
export function withReported(matches: readonly Match[], reported: readonly Reported[]): Match[] {
  const all = new Map(reported.map((each) => [keyOf(each), { ...each, packages: [each.package] }]));
  for (const match of matches) {
    const known = all.get(keyOf(match));
    if (!known) all.set(keyOf(match), match);
    else known.fixedVersion ??= match.fixedVersion;
  }
  return [...all.values()];
}

const place = (severity: Severity | ''): number => (severity === '' ? severities.length : severities.indexOf(severity));
const worse = (a: Severity | '', b: Severity | ''): Severity | '' => (place(a) <= place(b) ? a : b);

/** Severity by precedence: the advisory, the score, other sources; medium without any. */
export function weighed(match: Match, facts: CveFacts | undefined): { severity: Severity; cvss: number | null } {
  const cvss = match.cvss ?? facts?.cvss ?? null;
  const others = (facts?.severities ?? []).map((word) => severityOfLabel(word) ?? ('' as const)).reduce<Severity | ''>(worse, '');
  const severity = match.severity || (cvss === null ? others : severityOfScore(cvss)) || 'medium';
  return { severity, cvss };
}
