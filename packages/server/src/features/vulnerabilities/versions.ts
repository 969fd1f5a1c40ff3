/** Version orders by ecosystem, and the ecosystem names shared by advisories and inventories. */
import { compare as comparePython, valid as isPython } from '@renovatebot/pep440';
import semver, { type SemVer } from 'semver';
import { compareApk, compareDebian, compareRpm } from './versions.linux.ts';
import { compareMaven } from './versions.maven.ts';

/** Below 0, 0 or above 0; undefined when one is not a valid version. */
export type Compare = (a: string, b: string) => number | undefined;

/** Accepts Go’s v1.2.3 and short 1.2; anything else must be a semantic version. */
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

/** Base of an ecosystem: "Debian:12" is a release of Debian. */
export const baseOf = (ecosystem: string): string => ecosystem.split(':', 1)[0] ?? '';

/** Returns undefined for ecosystems without a known order, which match only explicitly listed versions. */
export const orderOf = (ecosystem: string): Compare | undefined => {
  const base = baseOf(ecosystem);
  return Object.hasOwn(orders, base) ? orders[base] : undefined;
};

/** Language ecosystems, as opposed to operating systems. */
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

/** Normalises an ecosystem: Ubuntu LTS releases with and without ":LTS", Red Hat repositories to their release. */
export function ecosystemKey(ecosystem: string): string {
  const text = ecosystem.trim();
  if (text.startsWith('Ubuntu:')) return text.replace(/:LTS$/, '');
  const redHat = /^Red Hat:enterprise_linux:(\d+)(?:::.*)?$/.exec(text);
  return redHat ? `Red Hat:${redHat[1]}` : text;
}

/** Normalises a package name (PyPI: PEP 503). */
export const packageKey = (ecosystem: string, name: string): string =>
  baseOf(ecosystem) === 'PyPI'
    ? name
        .trim()
        .toLowerCase()
        .replace(/[-_.]+/g, '-')
    : name.trim();

const speakOfSources = new Set(['Debian', 'Ubuntu', 'Alpine', 'Wolfi', 'Chainguard']);

/** Advisory name of an installed package: that of its source package for distributions. */
export function advisoryName({ ecosystem, name, source }: { ecosystem: string; name: string; source: string }): string {
  if (!speakOfSources.has(baseOf(ecosystem)) || source === '') return packageKey(ecosystem, name);
  // The signed kernel has a package of its own.
  return /^linux-signed(-|$)/.test(source) ? 'linux' : source;
}
