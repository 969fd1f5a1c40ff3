/** Follows the system's journal by `journalctl`, from the cursor where it stopped. A record's id is its cursor, which the journal never gives twice. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createBackoff, pause } from './clock.ts';
import { longestLine } from './tail.ts';

export interface JournalPosition {
  cursor: string;
  /** Microseconds since 1970, for a cursor that cannot be sought any more. */
  time: string;
}

export type JournalRecord = Record<string, string | undefined>;

const fields =
  'MESSAGE,PRIORITY,SYSLOG_FACILITY,SYSLOG_IDENTIFIER,SYSLOG_PID,_PID,_UID,_COMM,_EXE,_CMDLINE,_SYSTEMD_UNIT,_TRANSPORT,_HOSTNAME';
/** A message may have as many bytes as the machine has memory. One more than is shown is kept, so that it is seen to be cut. */
const mostMessageBytes = longestLine + 1;
const mostFieldBytes = 8 * 1024;

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
  /** Without a record, only the position is new. */
  take: (record: JournalRecord | undefined, position: JournalPosition) => Promise<void> | undefined;
  trouble: (text: string) => void;
  signal: AbortSignal;
  command?: string;
}): Promise<void> {
  let position = saved;
  let failures = 0;
  const startedAt = Date.now() * 1000;
  const backoff = createBackoff(1_000, 60_000);
  while (!signal.aborted) {
    // Not --after-cursor: where the cursor's file was vacuumed away, that passes over the first record that is left. The cursor's own comes once
    // more and is left out here. At the very first start the last record is asked for, so that there is a cursor from then on.
    const from = !position
      ? ['-n', '1']
      : failures >= 2
        ? ['--no-tail', `--since=@${position.time.slice(0, -6)}`]
        : ['--no-tail', `--cursor=${position.cursor}`];
    // In the export format, since JSON says null for what has more than 4 KiB.
    const child = spawn(command, ['-f', '-q', '-o', 'export', '--no-pager', `--output-fields=${fields}`, ...from], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end, { once: true });
    const { hasRead, said } = await readAll(child, async (record) => {
      const { __CURSOR: cursor, __REALTIME_TIMESTAMP: time } = record;
      if (!cursor || !time || cursor === position?.cursor) return false;
      const isNews = position !== undefined || Number(time) >= startedAt;
      position = { cursor, time };
      await take(isNews ? record : undefined, position);
      return true;
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
  take: (record: JournalRecord) => Promise<boolean>,
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
  const read = createExportReader();
  // Waits for each record's taker: a full buffer holds journalctl up, and the journal keeps what is to come.
  for await (const chunk of child.stdout as AsyncIterable<Buffer>)
    for (const record of read(chunk)) {
      try {
        hasRead = (await take(record)) || hasRead;
      } catch (error) {
        said = (error as Error).message;
      }
    }
  await ended;
  return { hasRead, said };
}

const newline = 10;

/**
 * The journal's export format: lines "FIELD=text"; or, where the text is no single line of UTF-8, "FIELD", its length as eight bytes, and the bytes.
 * An empty line ends a record. Of a field only its beginning is ever in memory.
 */
export function createExportReader(): (chunk: Buffer) => JournalRecord[] {
  let record: JournalRecord = {};
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Within a field that says its length: what comes next of it, and how many bytes of that. */
  let counted: { name: string; isLength: boolean; left: number } | undefined;

  function hold(bytes: Buffer): void {
    const part = bytes.subarray(0, Math.max(0, mostMessageBytes + 64 - heldBytes));
    if (part.length === 0) return;
    held.push(part);
    heldBytes += part.length;
  }
  function release(): Buffer {
    const bytes = held.length === 1 ? held[0]! : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return bytes;
  }
  function put(name: string, value: Buffer): void {
    record[name] ??= value.toString('utf8', 0, Math.min(value.length, name === 'MESSAGE' ? mostMessageBytes : mostFieldBytes));
  }

  return (chunk) => {
    const records: JournalRecord[] = [];
    let from = 0;
    while (from < chunk.length) {
      if (counted) {
        const upTo = Math.min(chunk.length, from + counted.left);
        hold(chunk.subarray(from, upTo));
        counted.left -= upTo - from;
        from = upTo;
        if (counted.left > 0) continue;
        const bytes = release();
        if (counted.isLength) {
          // A newline comes after the bytes.
          counted = { name: counted.name, isLength: false, left: Number(bytes.readBigUInt64LE()) + 1 };
          continue;
        }
        put(counted.name, bytes.at(-1) === newline ? bytes.subarray(0, -1) : bytes);
        counted = undefined;
        continue;
      }
      const end = chunk.indexOf(newline, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      from += part.length + 1;
      // Most lines are whole, and need not be held.
      if (end === -1 || heldBytes > 0) hold(part);
      if (end === -1) continue;
      const line = heldBytes > 0 ? release() : part;
      const mark = line.indexOf('=');
      if (mark > 0) put(line.toString('latin1', 0, mark), line.subarray(mark + 1));
      else if (line.length > 0) counted = { name: line.toString('latin1'), isLength: true, left: 8 };
      else {
        records.push(record);
        record = {};
      }
    }
    return records;
  };
}
