/**
 * Follows the system's journal by `journalctl`, from the cursor where it stopped. A record's id is its cursor, which the journal never gives twice.
 * Following, journalctl shows one start of the host alone, and it orders files that have nothing in common by the clock: a clock that was set back
 * would hide what was written since. So over a start of the host it is asked for the rest of the earlier ones, then for all of the present one.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { createBackoff, pause, bootId as readBootId } from './clock.ts';
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
const maxMessageBytes = longestLine + 1;
const maxFieldBytes = 8 * 1024;
/** A record this much ahead of the clock is of a time before the clock was set back. */
const aheadMs = 60_000;

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
  bootId = readBootId(),
}: {
  saved: JournalPosition | undefined;
  /** Without a record, only the position is new. */
  take: (record: JournalRecord | undefined, position: JournalPosition) => Promise<void> | undefined;
  trouble: (text: string) => void;
  signal: AbortSignal;
  command?: string;
  bootId?: string;
}): Promise<void> {
  let position = saved;
  let failures = 0;
  const startedAt = Date.now() * 1000;
  const backoff = createBackoff(1_000, 60_000);
  const thisBoot = bootId.replaceAll('-', '');
  /** What is left of earlier starts of the host comes first. */
  let isRestRead = false;
  let isAheadSaid = false;
  while (!signal.aborted) {
    const isAhead = position !== undefined && Number(position.time) / 1000 > Date.now() + aheadMs;
    // In a container the journal may be of another start than the kernel says.
    const ofThisBoot = position && (await hasRecords(command, thisBoot)) ? [`--boot=${thisBoot}`] : [];
    const isOfEarlierBoot = position !== undefined && ofThisBoot.length > 0 && (partOf(position, 'b') ?? thisBoot) !== thisBoot;
    const isRest = isOfEarlierBoot && !isRestRead;
    if (position && isAhead && !isAheadSaid) {
      isAheadSaid = true;
      trouble(aheadText(position, isOfEarlierBoot));
    }
    // Not --after-cursor: where the cursor's file was vacuumed away, that passes over the first record that is left. The cursor's own comes once
    // more and is left out here. At the very first start the last record is asked for, so that there is a cursor from then on.
    let from = ['-f', '--no-tail', ...ofThisBoot, `--cursor=${position?.cursor}`];
    if (!position) from = ['-f', '-n', '1'];
    else if (isRest) from = isAhead ? [] : [`--cursor=${position.cursor}`];
    else if (isOfEarlierBoot || (isAhead && failures >= 2)) from = ['-f', '--no-tail', ...ofThisBoot];
    else if (failures >= 2) from = ['-f', '--no-tail', ...ofThisBoot, `--since=@${position.time.slice(0, -6)}`];
    // In the export format, since JSON says null for what has more than 4 KiB.
    const child = spawn(command, ['-q', '-o', 'export', '--no-pager', `--output-fields=${fields}`, ...from], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end, { once: true });
    const before = position;
    let hasNews = false;
    const { hasAnswered, isWhole, said } = await readAll(child, async (record) => {
      const { __CURSOR: cursor, __REALTIME_TIMESTAMP: time } = record;
      if (!cursor || !time || cursor === position?.cursor) return;
      const next = { cursor, time };
      if (isRest && (partOf(next, 'b') === thisBoot || (before && wasBefore(next, before)))) return;
      const isNews = position !== undefined || Number(time) >= startedAt;
      position = next;
      hasNews = true;
      await take(isNews ? record : undefined, position);
    });
    signal.removeEventListener('abort', end);
    if (signal.aborted) return;
    if (hasNews) backoff.reset();
    if (isRest && isWhole) {
      isRestRead = true;
      continue;
    }
    // The cursor's own record is an answer: the journal is read, there is only nothing new.
    failures = hasNews || (hasAnswered && !isRest) ? 0 : failures + 1;
    // Where the rest cannot be read, the present is.
    if (isRest && failures >= 2) isRestRead = true;
    trouble(`The journal could not be followed: ${said || 'journalctl ended'}`);
    await pause(backoff.next(), signal);
  }
}

/** Of a cursor: s names the sequence, i is the number in it, b the start of the host, m the microseconds since that. */
const partOf = ({ cursor }: JournalPosition, name: 's' | 'i' | 'b' | 'm'): string | undefined =>
  new RegExp(`(?:^|;)${name}=([\\da-f]{1,32})(?:;|$)`).exec(cursor)?.[1];

/** Surely: by a number that both have in common, not by the clock. */
function wasBefore(one: JournalPosition, other: JournalPosition): boolean {
  for (const [common, number] of [
    ['s', 'i'],
    ['b', 'm'],
  ] as const) {
    if (partOf(one, common) !== partOf(other, common)) continue;
    return BigInt(`0x${partOf(one, number) ?? 'f'.repeat(16)}`) <= BigInt(`0x${partOf(other, number) ?? 0}`);
  }
  return false;
}

function aheadText({ time }: JournalPosition, isOfEarlierBoot: boolean): string {
  const [upTo, now] = [Number(time) / 1000, Date.now()].map((at) => new Date(Math.min(at, 8.64e15)).toISOString().slice(0, 19));
  const what = isOfEarlierBoot
    ? 'all records since this start of the host are read, and what is left of earlier ones'
    : 'reading goes on behind that record by its number, not by the clock';
  return `The journal was read up to ${upTo}Z, but this host’s clock says ${now}Z, so it was set back or the journal is another one; ${what}.`;
}

async function hasRecords(command: string, boot: string): Promise<boolean> {
  try {
    const words = ['-q', '-o', 'export', '--output-fields=_BOOT_ID', '--no-pager', '-n', '1', `_BOOT_ID=${boot}`];
    const options = { timeout: 60_000, killSignal: 'SIGKILL', encoding: 'buffer' } as const;
    const { stdout } = await promisify(execFile)(command, words, options);
    return stdout.length > 0;
  } catch {
    // It will be seen when it is followed.
    return true;
  }
}

async function readAll(
  child: ChildProcess,
  take: (record: JournalRecord) => Promise<void>,
): Promise<{ hasAnswered: boolean; isWhole: boolean; said: string }> {
  let said = '';
  let hasAnswered = false;
  let isWhole = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      said = error.message;
      resolve();
    });
    child.once('close', (code) => {
      isWhole = code === 0;
      resolve();
    });
  });
  child.stderr?.on('data', (text) => {
    said = (said + text).trim().slice(-300);
  });
  const read = createExportReader();
  // Waits for each record's taker: a full buffer holds journalctl up, and the journal keeps what is to come.
  for await (const chunk of child.stdout as AsyncIterable<Buffer>)
    for (const record of read(chunk)) {
      hasAnswered = true;
      try {
        await take(record);
      } catch (error) {
        said = (error as Error).message;
      }
    }
  await ended;
  return { hasAnswered, isWhole, said };
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
    const part = bytes.subarray(0, Math.max(0, maxMessageBytes + 64 - heldBytes));
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
    record[name] ??= value.toString('utf8', 0, Math.min(value.length, name === 'MESSAGE' ? maxMessageBytes : maxFieldBytes));
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
