/** Each ecosystem’s own order of versions, and its names as advisories and inventories both write them. */
import { compare as comparePython, valid as isPython } from '@renovatebot/pep440';
import semver, { type SemVer } from 'semver';
import { compareApk, compareDebian, compareRpm } from './versions.linux.ts';
import { compareMaven } from './versions.maven.ts';

/** Below 0, 0 or above 0; undefined where one of them is no version there. */
export type Compare = (a: string, b: string) => number | undefined;

/** Go writes v1.2.3, and some write 1.2; beyond that what is no semantic version has no place in the order. */
function readSemantic(text: string): SemVer | null {
  const [, numbers = '', rest = ''] = /^[vV=\s]*(\d+(?:\.\d+){0,2})((?:[-+].*)?)$/s.exec(text.trim()) ?? [];
  if (numbers === '') return null;
  const padded = numbers.split('.').concat('0', '0').slice(0, 3).join('.');
  return semver.parse(padded + rest, { loose: true });
}
const compareSemantic: Compare = (a, b) => {
  const [x, y] = [readSemantic(a), readSemantic(b)];
  return x && y ? x.compare(y) : undefined;
};
const comparePep440: Compare = (a, b) => {
  const [x, y] = [a.trim(), b.trim()];
  return isPython(x) && isPython(y) ? comparePython(x, y) : undefined;
};

const orders: Record<string, Compare> = {
  Debian: compareDebian,
  Ubuntu: compareDebian,
  'Red Hat': compareRpm,
  'Rocky Linux': compareRpm,
  AlmaLinux: compareRpm,
  SUSE: compareRpm,
  openSUSE: compareRpm,
  openEuler: compareRpm,
  Mageia: compareRpm,
  'Azure Linux': compareRpm,
  'Photon OS': compareRpm,
  Alpine: compareApk,
  Wolfi: compareApk,
  Chainguard: compareApk,
  Alpaquita: compareApk,
  npm: compareSemantic,
  Go: compareSemantic,
  'crates.io': compareSemantic,
  Hex: compareSemantic,
  Pub: compareSemantic,
  PyPI: comparePep440,
  Maven: compareMaven,
};

/** "Debian:12" is a release of Debian. */
export const baseOf = (ecosystem: string): string => ecosystem.split(':', 1)[0] ?? '';

/** Undefined for ecosystems whose order is not known here: there only versions that an advisory names one by one are found. */
export const orderOf = (ecosystem: string): Compare | undefined => {
  const base = baseOf(ecosystem);
  return Object.hasOwn(orders, base) ? orders[base] : undefined;
};

/** Packages of programming languages, as told apart from those of an operating system. */
export const languages = [
  'npm',
  'PyPI',
  'Go',
  'crates.io',
  'Maven',
  'RubyGems',
  'NuGet',
  'Packagist',
  'Hex',
  'Pub',
  'SwiftURL',
  'ConanCenter',
];
export const isLanguage = (ecosystem: string): boolean => languages.includes(baseOf(ecosystem));

/** One spelling of an ecosystem: Ubuntu's long-term releases are one with or without ":LTS", Red Hat's repositories of a release are that release. */
export function ecosystemKey(ecosystem: string): string {
  const text = ecosystem.trim();
  if (text.startsWith('Ubuntu:')) return text.replace(/:LTS$/, '');
  const redHat = /^Red Hat:enterprise_linux:(\d+)(?:::.*)?$/.exec(text);
  return redHat ? `Red Hat:${redHat[1]}` : text;
}

/** One spelling of a package's name (PyPI: PEP 503). */
export const packageKey = (ecosystem: string, name: string): string =>
  baseOf(ecosystem) === 'PyPI'
    ? name
        .trim()
        .toLowerCase()
        .replace(/[-_.]+/g, '-')
    : name.trim();

const speakOfSources = new Set(['Debian', 'Ubuntu', 'Alpine', 'Wolfi', 'Chainguard']);

/** Under which name advisories speak of an installed package: there, of what it was built from. */
export function advisoryName({ ecosystem, name, source }: { ecosystem: string; name: string; source: string }): string {
  if (!speakOfSources.has(baseOf(ecosystem)) || source === '') return packageKey(ecosystem, name);
  // The kernel is signed in a package of its own.
  return /^linux-signed(-|$)/.test(source) ? 'linux' : source;
}
