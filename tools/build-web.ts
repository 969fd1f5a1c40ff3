/** Builds the web pages into packages/web/dist if a source is newer than the last build, and compresses large files. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { binOf } from './bin.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = `${root}packages/web`;
const stamp = `${web}/dist/.built-from`;

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

export async function buildWebWhenNeeded(): Promise<void> {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Building the web pages …');
  const built = spawnSync(process.execPath, [binOf('vite'), 'build', '--logLevel', 'warn'], { cwd: web, stdio: 'inherit' });
  if (built.status !== 0) {
    console.error('The web pages could not be built; see above.');
    process.exit(1);
  }
  for (const file of globSync('dist/**/*.{js,css,html,svg,json}', { cwd: web })) {
    const text = readFileSync(`${web}/${file}`);
    if (text.length < 1024) continue;
    writeFileSync(`${web}/${file}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    writeFileSync(`${web}/${file}.gz`, gzipSync(text, { level: 9 }));
  }
  writeFileSync(stamp, wanted);
}

if (import.meta.main) await buildWebWhenNeeded();
