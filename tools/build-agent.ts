/** Bundles the agent into packages/agent/dist/agent.mjs if a source is newer than the last build. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
export const agentBundle = `${root}packages/agent/dist/agent.mjs`;
const stamp = `${root}packages/agent/dist/.built-from`;

export const agentVersion = (): string =>
  (JSON.parse(readFileSync(`${root}packages/agent/package.json`, 'utf8')) as { version: string }).version;

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of globSync(
    ['packages/agent/src/*.ts', 'packages/agent/package.json', 'packages/contract/src/**/*.ts', 'package-lock.json'],
    { cwd: root },
  ).sort())
    hash.update(file).update(readFileSync(root + file));
  return hash.digest('hex');
}

/** Bundles a version of the agent into a file. */
export async function buildAgent(version: string, file: string): Promise<void> {
  const bundle = await rolldown({
    input: `${root}packages/agent/src/main.ts`,
    platform: 'node',
    transform: { target: 'node20', define: { AGENT_VERSION: JSON.stringify(version) } },
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  if (output.length !== 1) throw new Error('The agent must be one script.');
  mkdirSync(dirname(file), { recursive: true });
  // Atomic rename: concurrent readers get the previous build.
  const beside = `${file}.${process.pid}.new`;
  writeFileSync(beside, `#!/usr/bin/env node\n${output[0].code}`);
  chmodSync(beside, 0o755);
  renameSync(beside, file);
}

export async function buildAgentWhenNeeded(): Promise<void> {
  const wanted = fingerprint();
  if (existsSync(agentBundle) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Building the agent …');
  await buildAgent(agentVersion(), agentBundle);
  writeFileSync(stamp, wanted);
}

if (import.meta.main) await buildAgentWhenNeeded();
