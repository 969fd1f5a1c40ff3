/** Software bill of materials (CycloneDX, by npm) and licences of what a release contains. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';

interface Component {
  name: string;
  version: string;
  purl: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

export interface Sbom {
  bomFormat: string;
  specVersion: string;
  serialNumber: string;
  metadata: { timestamp: string; component: { name: string; type: string; version: string } };
  components: Component[];
}

/** Packages of production; the tools of development and tests are left out. */
const workspaces = ['@parapet/server', '@parapet/web', '@parapet/agent'];

/** Reproducible: its time is that of the commit, its number that of its content. */
export function sbomOf(root: string, at: Date): Sbom {
  const words = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev'];
  const { stdout, stderr, status } = spawnSync('npm', [...words, ...workspaces.flatMap((name) => ['-w', name])], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr.trim().split('\n')[0]}`);
  const sbom = JSON.parse(stdout) as Sbom;
  sbom.metadata.component.name = 'parapet';
  sbom.metadata.timestamp = at.toISOString();
  sbom.serialNumber = '';
  const hash = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
  const uuid = [hash.slice(0, 8), hash.slice(8, 12), `5${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)];
  sbom.serialNumber = `urn:uuid:${uuid.join('-')}`;
  return sbom;
}

/** Licences without duties beyond notices; LGPL and MPL cover libraries that are used as they are. */
const allowed = new Set(
  '0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 ISC LGPL-3.0-or-later MIT MIT-0 MPL-2.0 OFL-1.1 Unlicense Zlib'.split(
    ' ',
  ),
);
/** Licences that packages state in a text only. */
const stated: Record<string, string> = { 'png-js': 'MIT' };

export const licenceOf = ({ name, licenses = [] }: Component): string =>
  stated[name] ??
  licenses
    .map(({ license, expression }) => license?.id ?? expression ?? license?.name ?? '')
    .join(' AND ')
    .replace(/^\((.*)\)$/, '$1');

const isOwn = ({ purl }: Component) => purl.startsWith('pkg:npm/%40parapet/');

export interface Licences {
  text: string;
  /** Packages with a licence that is not allowed, or none. */
  refused: string[];
}

export function licencesOf({ components }: Pick<Sbom, 'components'>): Licences {
  const rows = components
    .filter((component) => !isOwn(component))
    .map((component) => ({ id: `${component.name} ${component.version}`, licence: licenceOf(component) }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const refused = rows
    .filter(({ licence }) => !licence || licence.split(/\s+(?:AND|OR)\s+|[()]/).some((part) => part !== '' && !allowed.has(part)))
    .map(({ id, licence }) => `${id}: ${licence || 'no licence'}`);
  return { text: `${rows.map(({ id, licence }) => `${id}: ${licence}`).join('\n')}\n`, refused };
}
