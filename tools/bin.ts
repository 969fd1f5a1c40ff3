/** Path of a package's command, to run it under the current Node. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function binOf(name: string, command = name.split('/').pop() as string): string {
  const folder = fileURLToPath(new URL(`../node_modules/${name}/`, import.meta.url));
  const { bin } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as { bin: string | Record<string, string> };
  const path = typeof bin === 'string' ? bin : bin[command];
  if (!path) throw new Error(`${name} has no command ${command}`);
  return folder + path;
}
