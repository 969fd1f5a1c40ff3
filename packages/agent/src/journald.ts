/**
 * Follows the system journal with `journalctl`, resuming at a cursor. A record's id is its cursor, which is unique. In follow
 * mode journalctl shows a single boot and orders unrelated files by time, so a clock set back would hide newer records. After a
 * reboot it therefore reads the remaining records of earlier boots first, then all of the current boot.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { createBackoff, pause, bootId as readBootId } from './clock.ts';
import { longestLine } from './lineBlocks.ts';

export interface JournalPosition {
  cursor: string;
  /** Microseconds since 1970; fallback when the cursor no longer exists. */
  time: string;
}

export type JournalRecord = Record<string, string | undefined>;

const fields =
  'MESSAGE,PRIORITY,SYSLOG_FACILITY,SYSLOG_IDENTIFIER,SYSLOG_PID,_PID,_UID,_COMM,_EXE,_CMDLINE,_SYSTEMD_UNIT,_TRANSPORT,_HOSTNAME';
/** Limit for messages, which may be arbitrarily large; one byte above the maximum, to detect truncation. */
const maxMessageBytes = longestLine + 1;
const maxFieldBytes = 8 * 1024;
/** Records this far in the future predate a clock change. */
const aheadMs = 60_000;

/** Checks that this host has a readable journal. */
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
  clock,
  command = 'journalctl',
  bootId = readBootId(),
}: {
  saved: JournalPosition | undefined;
  /** Without a record only the position advances. */
  take: (record: JournalRecord | undefined, position: JournalPosition) => Promise<void> | undefined;
  trouble: (text: string) => void;
  signal: AbortSignal;
  clock: Clock;
  command?: string;
  bootId?: string;
}): Promise<void> {
  let position = saved;
  let failures = 0;
  const startedAt = clock.now() * 1000;
  const backoff = createBackoff(1_000, 60_000);
  const thisBoot = bootId.replaceAll('-', '');
  /** Remaining records of earlier boots come first. */
  let isCatchUpDone = false;
  let isAheadReported = false;
  while (!signal.aborted) {
    const isAhead = position !== undefined && Number(position.time) / 1000 > clock.now() + aheadMs;
    // In a container the journal may use another boot id than the kernel.
    const ofThisBoot = position && (await hasRecords(command, thisBoot)) ? [`--boot=${thisBoot}`] : [];
    const isOfEarlierBoot = position !== undefined && ofThisBoot.length > 0 && (partOf(position, 'b') ?? thisBoot) !== thisBoot;
    const isCatchUp = isOfEarlierBoot && !isCatchUpDone;
    if (position && isAhead && !isAheadReported) {
      isAheadReported = true;
      trouble(clockMessage(position, isOfEarlierBoot, clock.now()));
    }
    const from = startOf(position, { ofThisBoot, isAhead, isOfEarlierBoot, isCatchUp, hasFailed: failures >= 2 });
    // Export format: JSON output is null for fields above 4 KiB.
    const child = spawn(command, ['-q', '-o', 'export', '--no-pager', `--output-fields=${fields}`, ...from], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end, { once: true });
    const before = position;
    let hasNewRecords = false;
    const { hasOutput, isComplete, errorText } = await readAll(child, async (record) => {
      const { __CURSOR: cursor, __REALTIME_TIMESTAMP: time } = record;
      if (!cursor || !time || cursor === position?.cursor) return;
      const next = { cursor, time };
      if (isCatchUp && (partOf(next, 'b') === thisBoot || (before && precedes(next, before)))) return;
      const isNew = position !== undefined || Number(time) >= startedAt;
      position = next;
      hasNewRecords = true;
      await take(isNew ? record : undefined, position);
    });
    signal.removeEventListener('abort', end);
    if (signal.aborted) return;
    if (hasNewRecords) backoff.reset();
    if (isCatchUp && isComplete) {
      isCatchUpDone = true;
      continue;
    }
    // The cursor's own record counts as success: the journal is readable and has no new records.
    failures = hasNewRecords || (hasOutput && !isCatchUp) ? 0 : failures + 1;
    // Continue with the current boot if the remaining records cannot be read.
    if (isCatchUp && failures >= 2) isCatchUpDone = true;
    trouble(`Could not follow the journal: ${errorText || 'journalctl ended'}`);
    await pause(backoff.next(), signal);
  }
}

/**
 * Arguments by which journalctl starts. Not --after-cursor: if the cursor's file was vacuumed, it skips the first remaining record. The cursor's
 * own record is returned once more and skipped. The very first start requests the last record to obtain a cursor.
 */
function startOf(
  position: JournalPosition | undefined,
  is: { ofThisBoot: string[]; isAhead: boolean; isOfEarlierBoot: boolean; isCatchUp: boolean; hasFailed: boolean },
): string[] {
  if (!position) return ['-f', '-n', '1'];
  const follow = ['-f', '--no-tail', ...is.ofThisBoot];
  if (is.isCatchUp) return is.isAhead ? [] : [`--cursor=${position.cursor}`];
  if (is.isOfEarlierBoot || (is.isAhead && is.hasFailed)) return follow;
  return [...follow, is.hasFailed ? `--since=@${position.time.slice(0, -6)}` : `--cursor=${position.cursor}`];
}

/** Parts of a cursor: s is the sequence, i the number in it, b the boot id, m the microseconds since boot. */
const partOf = ({ cursor }: JournalPosition, name: 's' | 'i' | 'b' | 'm'): string | undefined =>
  new RegExp(`(?:^|;)${name}=([\\da-f]{1,32})(?:;|$)`).exec(cursor)?.[1];

/** Compares by a sequence number common to both, never by time; false if there is none. */
function precedes(one: JournalPosition, other: JournalPosition): boolean {
  for (const [common, number] of [
    ['s', 'i'],
    ['b', 'm'],
  ] as const) {
    if (partOf(one, common) !== partOf(other, common)) continue;
    return BigInt(`0x${partOf(one, number) ?? 'f'.repeat(16)}`) <= BigInt(`0x${partOf(other, number) ?? 0}`);
  }
  return false;
}

function clockMessage({ time }: JournalPosition, isOfEarlierBoot: boolean, at: number): string {
  const [upTo, now] = [Number(time) / 1000, at].map((each) => new Date(Math.min(each, 8.64e15)).toISOString().slice(0, 19));
  const what = isOfEarlierBoot
    ? 'all records since this boot are read, and the remaining ones of earlier boots'
    : 'reading continues after that record by sequence number, not by time';
  return `The journal was read up to ${upTo}Z, but this host’s clock reads ${now}Z: it was set back, or the journal was replaced; ${what}.`;
}

async function hasRecords(command: string, boot: string): Promise<boolean> {
  try {
    const args = ['-q', '-o', 'export', '--output-fields=_BOOT_ID', '--no-pager', '-n', '1', `_BOOT_ID=${boot}`];
    const options = { timeout: 60_000, killSignal: 'SIGKILL', encoding: 'buffer' } as const;
    const { stdout } = await promisify(execFile)(command, args, options);
    return stdout.length > 0;
  } catch {
    // Following the journal will report the failure.
    return true;
  }
}

async function readAll(
  child: ChildProcess,
  take: (record: JournalRecord) => Promise<void>,
): Promise<{ hasOutput: boolean; isComplete: boolean; errorText: string }> {
  let errorText = '';
  let hasOutput = false;
  let isComplete = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      errorText = error.message;
      resolve();
    });
    child.once('close', (code) => {
      isComplete = code === 0;
      resolve();
    });
  });
  child.stderr?.on('data', (text) => {
    errorText = (errorText + text).trim().slice(-300);
  });
  const read = createExportReader();
  // Awaits each record: a full buffer pauses journalctl, and the journal keeps later records.
  for await (const chunk of child.stdout as AsyncIterable<Buffer>)
    for (const record of read(chunk)) {
      hasOutput = true;
      try {
        await take(record);
      } catch (error) {
        errorText = (error as Error).message;
      }
    }
  await ended;
  return { hasOutput, isComplete, errorText };
}

const newline = 10;

/**
 * Parser for the journal export format: lines "FIELD=text", or for other values "FIELD", an eight-byte length and the bytes; an
 * empty line ends a record. Keeps only the beginning of each field in memory.
 */
export function createExportReader(): (chunk: Buffer) => JournalRecord[] {
  let record: JournalRecord = {};
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Binary field being read: next part (length or bytes), and its remaining bytes. */
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
          // A newline follows the bytes.
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
      // Most lines are complete and need no buffering.
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
