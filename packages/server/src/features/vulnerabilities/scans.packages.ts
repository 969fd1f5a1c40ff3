/** Maps package URLs (github.com/package-url/purl-spec) and scanners’ package types to OSV ecosystems. */
import { ecosystemKey } from './versions.ts';

export interface ScannedPackage {
  ecosystem: string;
  name: string;
  version: string;
  /** Source package; empty when unspecified. */
  source: string;
}

const ofLanguages: Record<string, string> = {
  npm: 'npm',
  pypi: 'PyPI',
  golang: 'Go',
  cargo: 'crates.io',
  maven: 'Maven',
  gem: 'RubyGems',
  nuget: 'NuGet',
  composer: 'Packagist',
  hex: 'Hex',
  pub: 'Pub',
  conan: 'ConanCenter',
  swift: 'SwiftURL',
};

/** Maps e.g. "debian" and "12.5" to Debian:12; empty for unknown systems. */
export function ecosystemOfSystem(family: string, release: string): string {
  const [major = '', minor = ''] = release.replace(/^v/, '').split('.');
  if (!/^\d+$/.test(major)) return '';
  switch (family.toLowerCase()) {
    case 'debian':
      return `Debian:${major}`;
    case 'ubuntu':
      return minor === '' ? '' : `Ubuntu:${major}.${minor}`;
    case 'alpine':
      return minor === '' ? '' : `Alpine:v${major}.${minor}`;
    case 'redhat':
    case 'rhel':
      return `Red Hat:${major}`;
    case 'rocky':
      return `Rocky Linux:${major}`;
    case 'alma':
    case 'almalinux':
      return `AlmaLinux:${major}`;
    default:
      return '';
  }
}

/** Trivy’s result types. */
const ofTrivy: Record<string, string> = {
  npm: 'npm',
  yarn: 'npm',
  pnpm: 'npm',
  'node-pkg': 'npm',
  pip: 'PyPI',
  pipenv: 'PyPI',
  poetry: 'PyPI',
  uv: 'PyPI',
  'python-pkg': 'PyPI',
  gomod: 'Go',
  gobinary: 'Go',
  cargo: 'crates.io',
  rustbinary: 'crates.io',
  jar: 'Maven',
  pom: 'Maven',
  gradle: 'Maven',
  bundler: 'RubyGems',
  gemspec: 'RubyGems',
  nuget: 'NuGet',
  'dotnet-core': 'NuGet',
  composer: 'Packagist',
  hex: 'Hex',
  pub: 'Pub',
};
export const ecosystemOfTrivy = (type: string): string => (Object.hasOwn(ofTrivy, type) ? ofTrivy[type]! : '');

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Returns undefined for invalid package URLs and those without a version. */
export function readPurl(purl: string): ScannedPackage | undefined {
  const [, type = '', path = '', query = ''] = /^pkg:\/{0,2}([a-z0-9.+-]+)\/([^?#]+)(?:\?([^#]*))?(?:#.*)?$/i.exec(purl) ?? [];
  const at = path.lastIndexOf('@');
  // npm scopes may be unescaped.
  if (at <= 0) return undefined;
  const parts = path.slice(0, at).split('/').map(decoded);
  const version = decoded(path.slice(at + 1));
  const name = parts.pop();
  if (!version || !name || parts.some((part) => part === undefined)) return undefined;
  const qualifiers = new Map(
    query.split('&').flatMap((pair): [string, string][] => {
      const [key = '', value = ''] = pair.split('=', 2);
      return [[key.toLowerCase(), decoded(value) ?? '']];
    }),
  );
  const namespace = parts.join('/');
  const kind = type.toLowerCase();
  if (Object.hasOwn(ofLanguages, kind)) {
    const joint = kind === 'maven' ? ':' : '/';
    const full = namespace === '' || kind === 'pypi' ? name : `${namespace}${joint}${name}`;
    return { ecosystem: ofLanguages[kind]!, name: full, version, source: '' };
  }
  if (kind !== 'deb' && kind !== 'rpm' && kind !== 'apk') return undefined;
  const distro = qualifiers.get('distro') ?? '';
  const [, family = namespace, release = ''] = /^(?:([a-z]+)-)?(v?\d[\d.]*)/i.exec(distro) ?? [];
  const epoch = qualifiers.get('epoch') ?? '';
  return {
    ecosystem: ecosystemKey(ecosystemOfSystem(family, release)) || 'other',
    name,
    version: /^[1-9]\d*$/.test(epoch) && !version.includes(':') ? `${epoch}:${version}` : version,
    source: (qualifiers.get('upstream') ?? '').split('@', 1)[0] ?? '',
  };
}
