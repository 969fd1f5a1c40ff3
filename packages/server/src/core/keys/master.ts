/** The master key, which wraps the data keys: its text comes from the environment, a file or a command, never from the database once one is configured. */
import { execFile } from 'node:child_process';
import { createHmac, hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export type KeySource =
  | { kind: 'text'; text: string }
  | { kind: 'file'; path: string }
  /** Program and arguments, run without a shell; prints the key. */
  | { kind: 'command'; command: readonly string[] };

export interface MasterKey {
  /** Names the key without giving anything of it away. */
  readonly id: string;
  readonly key: Buffer;
  /** A key by its purpose, as versions before data keys derived it from SECRET_KEY. */
  derived(purpose: string): Buffer;
}

export const minimumLength = 32;
const commandTimeoutMs = 10_000;
const maxBytes = 4_096;

export function masterKeyOf(text: string): MasterKey {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'parapet master key', 32));
  return {
    id: createHmac('sha256', key).update('name of the master key').digest('hex').slice(0, 16),
    key,
    derived: (purpose) => createHmac('sha256', text).update(purpose).digest(),
  };
}

/** The configured ones. */
export async function readMasterKeys(config: {
  masterKey: KeySource | undefined;
  formerMasterKey: KeySource | undefined;
}): Promise<{ master: MasterKey | undefined; former: MasterKey | undefined }> {
  return {
    master: config.masterKey && (await readMasterKey(config.masterKey)),
    former: config.formerMasterKey && (await readMasterKey(config.formerMasterKey, 'SECRET_KEY_OLD')),
  };
}

/** Reads the text of the key from where it is. Errors name the setting and never carry the text, nor anything that the command printed. */
export async function readMasterKey(source: KeySource, name = 'SECRET_KEY', timeoutMs = commandTimeoutMs): Promise<MasterKey> {
  if (source.kind === 'text') return masterKeyOf(source.text);
  const setting = source.kind === 'file' ? `${name}_FILE` : `${name}_COMMAND`;
  const text = (
    source.kind === 'file' ? await fileText(source.path, setting) : await printed(source.command, setting, timeoutMs)
  ).trim();
  if (text.length < minimumLength)
    throw new Error(
      `${setting}: the key from ${source.kind === 'file' ? source.path : 'the command'} has ${text.length} characters; at least ${minimumLength} are needed.`,
    );
  return masterKeyOf(text);
}

async function fileText(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${setting}: ${path} could not be read (${(error as NodeJS.ErrnoException).code ?? 'error'}).`);
  }
}

const printed = ([program = '', ...args]: readonly string[], setting: string, timeoutMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxBytes, shell: false, windowsHide: true },
      (error, stdout) => {
        if (!error) return resolve(stdout);
        reject(new Error(`${setting}: ${program} ${faultOf(error, timeoutMs)} Run it manually to see why.`));
      },
    );
    child.stdin?.end();
  });

function faultOf({ code, killed }: { code?: unknown; killed?: boolean }, timeoutMs: number): string {
  if (code === 'ENOENT') return 'was not found.';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${maxBytes} bytes.`;
  if (killed) return `printed no key within ${timeoutMs / 1000} seconds.`;
  return typeof code === 'number' ? `ended with code ${code}.` : 'could not be run.';
}
