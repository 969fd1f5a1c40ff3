/** Builds the web pages into packages/web/dist if a source is newer than the last build, and compresses large files. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { binOf } from './bin.ts';
import { exchangeBuild } from './web-builds.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = `${root}packages/web`;
const dist = `${web}/dist`;
const stamp = `${dist}/.built-from`;

/** Fingerprint of all inputs of the build. */
function fingerprint(): string {
  const files = globSync(['packages/web/**/*', 'packages/contract/src/**/*', 'package-lock.json'], {
    cwd: root,
    exclude: (name) => name.includes('/dist') || name.includes('node_modules'),
  }).sort();
  const hash = createHash('sha256');
  for (const file of files) {
    if (!statSync(root + file).isFile()) continue;
    hash.update(file).update(readFileSync(root + file));
  }
  return hash.digest('hex');
}

const [pack, packOld] = [promisify(brotliCompress), promisify(gzip)];

async function compress(file: string): Promise<void> {
  const text = await readFile(file);
  if (text.length < 1024) return;
  const [brotli, zipped] = await Promise.all([
    pack(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    packOld(text, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, zipped)]);
}

/** Aborting `signal` ends the build. Throws when it failed; Vite prints why. */
export async function buildWebWhenNeeded(signal?: AbortSignal): Promise<void> {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Building the web pages …');
  mkdirSync(dist, { recursive: true });
  // Of each process, since two may build at once; beside the built pages, so that its files can be moved.
  const next = mkdtempSync(`${dist}/next-`);
  try {
    const words = ['build', '--logLevel', 'warn', '--outDir', next, '--emptyOutDir'];
    const vite = spawn(process.execPath, [binOf('vite'), ...words], { cwd: web, stdio: 'inherit', signal });
    const [status] = await once(vite, 'exit');
    if (status !== 0) throw new Error('The web pages could not be built; see above.');
    await Promise.all(globSync('**/*.{js,css,html,svg,json}', { cwd: next }).map((file) => compress(`${next}/${file}`)));
    rmSync(stamp, { force: true });
    exchangeBuild(next, dist);
    writeFileSync(stamp, wanted);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

if (import.meta.main) await buildWebWhenNeeded();
