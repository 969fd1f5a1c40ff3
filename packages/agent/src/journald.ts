/** Follows the system's journal by `journalctl`, from the cursor where it stopped. A record's id is its cursor, which the journal never gives twice. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createBackoff, pause } from './clock.ts';

export interface JournalPosition {
  cursor: string;
  /** Microseconds since 1970, for when the journal has thrown the cursor's file away. */
  time: string;
}

export type JournalRecord = Record<string, unknown>;

const fields =
  'MESSAGE,PRIORITY,SYSLOG_FACILITY,SYSLOG_IDENTIFIER,SYSLOG_PID,_PID,_UID,_COMM,_EXE,_CMDLINE,_SYSTEMD_UNIT,_TRANSPORT,_HOSTNAME';
const longest = 512 * 1024;

/** Whether this host keeps a journal that can be read. */
export function hasJournal(command = 'journalctl'): boolean {
  const { status, stdout } = spawnSync(command, ['-q', '-n', '1', '-o', 'json', '--no-pager'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  return status === 0 && stdout.trim() !== '';
}

export async function followJournal({
  saved,
  take,
  trouble,
  signal,
  command = 'journalctl',
}: {
  saved: JournalPosition | undefined;
  take: (record: JournalRecord, position: JournalPosition) => Promise<void> | undefined;
  trouble: (text: string) => void;
  signal: AbortSignal;
  command?: string;
}): Promise<void> {
  let position = saved;
  let failures = 0;
  const backoff = createBackoff(1_000, 60_000);
  while (!signal.aborted) {
    // A cursor whose file is gone cannot be sought: then the time says where to go on.
    const from = !position
      ? ['-n', '0']
      : failures >= 2
        ? ['--no-tail', `--since=@${position.time.slice(0, -6)}`]
        : ['--no-tail', `--after-cursor=${position.cursor}`];
    const child = spawn(command, ['-f', '-q', '-o', 'json', '--no-pager', `--output-fields=${fields}`, ...from], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end, { once: true });
    const { hasRead, said } = await readAll(child, async (record) => {
      const cursor = record.__CURSOR;
      const time = record.__REALTIME_TIMESTAMP;
      if (typeof cursor !== 'string' || typeof time !== 'string') return;
      position = { cursor, time };
      await take(record, position);
    });
    signal.removeEventListener('abort', end);
    if (signal.aborted) return;
    failures = hasRead ? 0 : failures + 1;
    if (hasRead) backoff.reset();
    trouble(`The journal could not be followed: ${said || 'journalctl ended'}`);
    await pause(backoff.next(), signal);
  }
}

async function readAll(
  child: ChildProcess,
  take: (record: JournalRecord) => Promise<void>,
): Promise<{ hasRead: boolean; said: string }> {
  let said = '';
  let hasRead = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      said = error.message;
      resolve();
    });
    child.once('close', () => resolve());
  });
  child.stderr?.on('data', (text) => {
    said = (said + text).trim().slice(-300);
  });
  // Waits for each line's taker: a full buffer holds journalctl up, and the journal keeps what is to come.
  for await (const line of createInterface({ input: child.stdout!, crlfDelay: Number.POSITIVE_INFINITY })) {
    hasRead = true;
    if (line.length > longest) continue;
    try {
      await take(JSON.parse(line) as JournalRecord);
    } catch (error) {
      said = (error as Error).message;
    }
  }
  await ended;
  return { hasRead, said };
}

/** What is not UTF-8 comes as a list of bytes. */
export function journalText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((each) => typeof each === 'number')
    ? Buffer.from(value).toString('utf8')
    : undefined;
}
