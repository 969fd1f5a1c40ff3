/**
 * Parses Trivy JSON and CycloneDX results. Results are untrusted: only expected fields are read, texts and lists are truncated, and nested
 * data is walked iteratively.
 */

import type { Severity } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { listIn, SkipList, textIn } from './advisories.formats.ts';
import { isFields } from './advisories.records.ts';
import { cvssOf, severityOfLabel, severityOfScore } from './cvss.ts';
import { ecosystemOfSystem, ecosystemOfTrivy, readPurl, type ScannedPackage } from './scans.packages.ts';
import { isLanguage } from './versions.ts';

/** A weakness reported by the scanner. */
export interface Reported {
  cve: string;
  aliases: string[];
  title: string;
  ecosystem: string;
  package: string;
  installedVersion: string;
  fixedVersion: string | null;
  severity: Severity | '';
  cvss: number | null;
}

/** Stored part of a result, matched again when advisories change. */
export interface ScanContent {
  /** Packages to match with the advisories; empty when the scanner did so itself. */
  packages: ScannedPackage[];
  reported: Reported[];
}

export interface Scan {
  tool: 'trivy' | 'cyclonedx';
  content: ScanContent;
  packages: number;
  languages: number;
  skips: SkipList;
}

/** Limits of the stored part; the file itself is bounded by its size. */
const max = { packages: 50_000, reported: 50_000, ratings: 50 } as const;
const maxDepth = 200;
type Fields = Record<string, unknown>;

/** Throws a Problem for other formats. */
export function readScan(bytes: Buffer): Scan {
  const bad = (text: string) => problem.invalid({ file: [text] }, text);
  if (isTooDeep(bytes)) throw bad(`The file is nested deeper than ${maxDepth} levels, unlike any Trivy or CycloneDX result.`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw bad('The file is not JSON in UTF-8. Export it again as JSON.');
  }
  if (isFields(json) && json.bomFormat === 'CycloneDX') return readCycloneDx(json);
  if (isFields(json) && (Array.isArray(json.Results) || typeof json.ArtifactName === 'string'))
    return readTrivy(listIn(json.Results), systemOf(json));
  // Trivy before version 0.20 wrote a bare array of results.
  if (Array.isArray(json) && json.some((each) => isFields(each) && typeof each.Target === 'string')) return readTrivy(json, '');
  throw bad('Neither a Trivy result ("Results") nor a CycloneDX document ("bomFormat").');
}

/** Checks depth on the bytes, before parsing. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) isInText = false;
    } else if (byte === 0x22) isInText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

const text = (value: unknown, limit = 255) => textIn(value, limit);
const idOf = (value: unknown): string => text(value, 200).replace(/\s+/g, ' ');

class Reading {
  readonly packages = new Map<string, ScannedPackage>();
  readonly reported = new Map<string, Reported>();
  readonly skips = new SkipList();
  private isFull = false;

  addPackage(found: ScannedPackage): void {
    if (this.packages.size >= max.packages) this.full();
    else this.packages.set(`${found.ecosystem}\0${found.name}\0${found.version}`, found);
  }
  addReported(found: Reported): void {
    const key = `${found.cve}\0${found.package}\0${found.ecosystem}`;
    if (this.reported.size >= max.reported) this.full();
    else if (!this.reported.has(key)) this.reported.set(key, found);
  }
  private full(): void {
    if (!this.isFull)
      this.skips.add(
        `At most ${max.packages.toLocaleString('en')} packages and as many findings are imported per result; the rest was skipped.`,
      );
    this.isFull = true;
  }
}

// Trivy: https://trivy.dev/docs/latest/configuration/reporting/#json

const systemOf = (json: Fields): string => {
  const os = isFields(json.Metadata) && isFields(json.Metadata.OS) ? json.Metadata.OS : {};
  return ecosystemOfSystem(text(os.Family), text(os.Name));
};

function readTrivy(results: readonly unknown[], system: string): Scan {
  const reading = new Reading();
  for (const result of results) {
    if (isFields(result)) readTrivyResult(reading, result, system);
    else reading.skips.add('A result is not an object.');
  }
  return scanOf('trivy', reading, true);
}

function readTrivyResult(reading: Reading, result: Fields, system: string): void {
  const type = text(result.Type);
  const isOfSystem = result.Class === 'os-pkgs' || (system !== '' && system.toLowerCase().startsWith(type));
  const ecosystem = (isOfSystem ? system : ecosystemOfTrivy(type)) || type || 'other';
  for (const each of listIn(result.Packages)) {
    const [name, version] = isFields(each) ? [text(each.Name), text(each.Version)] : ['', ''];
    if (name !== '') reading.addPackage({ ecosystem, name, version, source: '' });
  }
  for (const each of listIn(result.Vulnerabilities)) {
    const found = isFields(each) ? ofTrivy(each, ecosystem) : undefined;
    if (typeof found === 'object') {
      reading.addReported(found);
      reading.addPackage({ ecosystem, name: found.package, version: found.installedVersion, source: '' });
    } else reading.skips.add(found ?? 'A vulnerability is not an object.');
  }
}

function ofTrivy(each: Fields, ecosystem: string): Reported | string {
  const [cve, name] = [idOf(each.VulnerabilityID), text(each.PkgName)];
  if (cve === '') return 'A vulnerability has no VulnerabilityID.';
  if (name === '') return `${cve} names no package.`;
  const cvss = scoreOfTrivy(each.CVSS, text(each.SeveritySource));
  return {
    cve,
    aliases: listIn(each.VendorIDs, 50).flatMap((id) => idOf(id) || []),
    title: text(each.Title, 300) || text(each.Description, 300) || cve,
    ecosystem,
    package: name,
    installedVersion: text(each.InstalledVersion),
    fixedVersion: text(each.FixedVersion) || null,
    severity: severityOfLabel(each.Severity) ?? (cvss === null ? '' : severityOfScore(cvss)),
    cvss,
  };
}

/** Score of the severity’s source, else NVD’s, else any; newest CVSS version first. */
function scoreOfTrivy(cvss: unknown, source: string): number | null {
  if (!isFields(cvss)) return null;
  const scores = [source, 'nvd', ...Object.keys(cvss).slice(0, 50)].flatMap((name) =>
    Object.hasOwn(cvss, name) && isFields(cvss[name]) ? [cvss[name]] : [],
  );
  for (const key of ['V3Score', 'V40Score', 'V2Score'])
    for (const each of scores) {
      const score = each[key];
      if (typeof score === 'number' && score > 0 && score <= 10) return Math.round(score * 10) / 10;
    }
  return null;
}

// CycloneDX: https://cyclonedx.org/docs/1.6/json/

/** Analysis states that mean not affected. */
const settled = new Set(['not_affected', 'false_positive', 'resolved', 'resolved_with_pedigree']);

function readCycloneDx(json: Fields): Scan {
  const reading = new Reading();
  const { skips } = reading;
  const byRef = new Map<string, ScannedPackage>();
  const waiting = [...listIn(json.components)].reverse();
  while (waiting.length > 0) {
    const each = waiting.pop();
    if (!isFields(each)) {
      skips.add('A component is not an object.');
      continue;
    }
    for (const nested of listIn(each.components)) waiting.push(nested);
    const found = componentOf(each);
    if (!found) {
      // Skip files and the operating system itself.
      if (typeof each.purl === 'string')
        skips.add(`"${text(each.purl, 200)}" is not a package of a supported type, or has no version.`);
      continue;
    }
    reading.addPackage(found);
    for (const ref of [text(each['bom-ref'], 500), text(each.purl, 500)]) if (ref !== '') byRef.set(ref, found);
  }
  for (const each of listIn(json.vulnerabilities)) {
    if (!isFields(each) || idOf(each.id) === '') skips.add('A vulnerability has no ID.');
    else if (!(isFields(each.analysis) && settled.has(text(each.analysis.state))))
      for (const found of ofCycloneDx(each, byRef, skips)) reading.addReported(found);
  }
  return scanOf('cyclonedx', reading, false);
}

function componentOf(each: Fields): ScannedPackage | undefined {
  const found = readPurl(text(each.purl, 1_000));
  return (
    found && {
      ecosystem: cut(found.ecosystem, 60),
      name: cut(found.name),
      version: cut(found.version),
      source: cut(found.source),
    }
  );
}
const cut = (value: string, limit = 255): string => textIn(value, limit);

function* ofCycloneDx(each: Fields, byRef: ReadonlyMap<string, ScannedPackage>, skips: SkipList): Generator<Reported> {
  const cve = idOf(each.id);
  const ratings = listIn(each.ratings, max.ratings).filter(isFields);
  const cvss = scoreOfRatings(ratings);
  const word = ratings.map(({ severity }) => severityOfLabel(severity)).find((found) => found !== undefined);
  const aliases = listIn(each.references, 50).flatMap((reference) => (isFields(reference) ? idOf(reference.id) || [] : []));
  for (const affects of listIn(each.affects)) {
    const ref = isFields(affects) ? text(affects.ref, 500) : '';
    // An external reference names the component after its hash.
    const found = byRef.get(ref) ?? byRef.get(ref.slice(ref.indexOf('#') + 1)) ?? readPurl(ref);
    if (!found) {
      skips.add(`${cve} affects "${ref.slice(0, 200)}", which is not a listed component.`);
      continue;
    }
    yield {
      cve,
      aliases: [...new Set(aliases)].filter((alias) => alias !== cve),
      title: text(each.description, 300).split('\n', 1)[0] || cve,
      ecosystem: found.ecosystem,
      package: found.name,
      installedVersion: found.version,
      fixedVersion: null,
      severity: word ?? (cvss === null ? '' : severityOfScore(cvss)),
      cvss,
    };
  }
}

function scoreOfRatings(ratings: readonly Fields[]): number | null {
  for (const method of ['CVSSv31', 'CVSSv3', 'CVSSv4', 'CVSSv2'])
    for (const rating of ratings) {
      if (rating.method !== method) continue;
      const score = typeof rating.score === 'number' ? rating.score : cvssOf(text(rating.vector));
      if (score !== undefined && score >= 0 && score <= 10) return Math.round(score * 10) / 10;
    }
  return null;
}

function scanOf(tool: Scan['tool'], { packages, reported, skips }: Reading, isMatchedAlready: boolean): Scan {
  const all = [...packages.values()];
  return {
    tool,
    content: { packages: isMatchedAlready ? [] : all, reported: [...reported.values()] },
    packages: all.length,
    languages: all.filter(({ ecosystem }) => isLanguage(ecosystem)).length,
    skips,
  };
}
