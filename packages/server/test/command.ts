import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ran {
  code: number | null;
  out: string;
  errors: string;
}

/** Runs a program of `src` to its end. `onOutput` gets all output so far, and may end the program. */
export async function runCommand(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  onOutput: (out: string, end: () => void) => void = () => {},
): Promise<Ran> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../src/${program}`, import.meta.url)), ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
    onOutput(out, () => child.kill('SIGKILL'));
  });
  child.stderr.on('data', (part) => {
    errors += part;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, errors };
}
