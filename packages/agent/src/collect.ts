/**
 * Collects sources into the buffer: converts journal records and lines to events, and saves positions only after the events are
 * synced to disk.
 */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { Buffered } from './buffer.ts';
import { type Block, encodeEvent } from './bulk.ts';
import { pause } from './clock.ts';
import { readJson, writeDurably } from './files.ts';
import { followJournal, hasJournal, type JournalPosition, type JournalRecord } from './journald.ts';
import { longestLine } from './lineBlocks.ts';
import type { Position } from './rotations.ts';
import type { Settings } from './settings.ts';
import { createTail, type Tail } from './tail.ts';
import { agentVersion } from './version.ts';

const defaultFiles = ['/var/log/auth.log', '/var/log/secure', '/var/log/syslog', '/var/log/messages'];
const pollMs = 1_000;
const saveMs = 1_000;

interface Positions {
  files: Record<string, Position>;
  journal?: JournalPosition | undefined;
}

export interface CollectorDeps {
  state: string;
  settings: Settings;
  buffer: Buffered;
  clock: Clock;
  trouble: (text: string) => void;
  signal: AbortSignal;
  journalctl?: string;
}

/** Runs until the signal aborts; then saves the positions of everything buffered. */
export async function collect({
  state,
  settings,
  buffer,
  clock,
  trouble,
  signal,
  journalctl = 'journalctl',
}: CollectorDeps): Promise<void> {
  const file = join(state, 'positions.json');
  const saved = readJson<Positions>(file) ?? { files: {} };
  const usesJournal = settings.journal === 'on' || (settings.journal === 'auto' && hasJournal(journalctl));
  // With a journal, the default files would duplicate its records.
  const paths = settings.files.length > 0 ? settings.files : usesJournal ? [] : defaultFiles;
  if (settings.files.length > 0)
    for (const path of paths) if (!existsSync(path)) trouble(`${path} does not exist yet; it is read once it exists.`);
  const host = { name: hostname(), hostname: hostname() };
  const agent = { type: 'mdr-agent', version: agentVersion, id: String(settings.agentId) };
  const tails = paths.map((path) => ({ path, tail: createTail(path, saved.files[path]) }));
  let journal = saved.journal;
  let text = '';

  async function save(): Promise<void> {
    const positions: Positions = { files: { ...saved.files }, journal };
    for (const { path, tail } of tails) {
      const position = tail.position();
      if (position) positions.files[path] = position;
    }
    const now = JSON.stringify(positions);
    if (now === text) return;
    await buffer.sync();
    await writeDurably(file, now);
    text = now;
  }

  async function follow({ path, tail }: { path: string; tail: Tail }): Promise<void> {
    const take = async (blocks: Block[]) => {
      for (const block of blocks) await buffer.put(block, lineEvent({ host, agent, path }, block.isCut, clock.now()));
    };
    while (!signal.aborted) {
      try {
        if (await tail.poll(take)) continue;
      } catch (error) {
        trouble(`${path} could not be read: ${(error as Error).message}`);
        await pause(pollMs * 10, signal);
      }
      await pause(pollMs, signal);
    }
  }

  const following = tails.map(follow);
  if (usesJournal)
    following.push(
      followJournal({
        saved: journal,
        trouble,
        signal,
        clock,
        command: journalctl,
        take(record, position) {
          const event = record && journalEvent(record, { host, agent }, clock.now());
          const room = event && buffer.append(encodeEvent(position.cursor, JSON.stringify(event)));
          if (!room) {
            journal = position;
            return undefined;
          }
          return room.then(() => {
            journal = position;
          });
        },
      }),
    );
  while (!signal.aborted) {
    await pause(saveMs, signal);
    await save().catch((error: Error) => trouble(`Positions could not be saved: ${error.message}`));
  }
  // A full buffer blocks its readers; their pending data is read again after a restart.
  await Promise.race([Promise.all(following), pause(2_000)]);
  await save();
  for (const { tail } of tails) await tail.close();
}

interface EventOrigin {
  host: object;
  agent: object;
}

/** Fields shared by all events of a file's lines. @param at of the reading, in milliseconds since 1970 */
export function lineEvent(
  { host, agent, path }: EventOrigin & { path: string },
  isCut: boolean,
  at: number,
): Record<string, unknown> {
  const now = new Date(at);
  const timezone = zoneOffset(now);
  const dataset = /^(auth|secure)/.test(basename(path)) ? 'system.auth' : 'system.syslog';
  const isSystem = defaultFiles.some((defaultFile) => basename(defaultFile) === basename(path));
  return {
    '@timestamp': now.toISOString(),
    host,
    agent,
    event: isSystem ? { dataset, module: 'system', timezone } : { timezone },
    log: { file: { path }, ...(isCut ? { flags: ['truncated'] } : {}) },
  };
}

/** @param now time of a record without one, in milliseconds since 1970 */
export function journalEvent(record: JournalRecord, { host, agent }: EventOrigin, now: number): object | undefined {
  // The agent reports its own state by check-in.
  if (record._PID === String(process.pid)) return undefined;
  const message = record.MESSAGE;
  if (!message) return undefined;
  const at = Number(record.__REALTIME_TIMESTAMP) / 1000;
  const number = (value = '') => (/^\d{1,3}$/.test(value) ? Number(value) : undefined);
  const severity = number(record.PRIORITY);
  const facility = number(record.SYSLOG_FACILITY);
  const isCut = Buffer.byteLength(message) > longestLine;
  return {
    '@timestamp': new Date(Number.isFinite(at) ? at : now).toISOString(),
    host,
    agent,
    log: {
      syslog: {
        appname: record._TRANSPORT === 'kernel' ? 'kernel' : (record.SYSLOG_IDENTIFIER ?? record._COMM),
        procid: record.SYSLOG_PID ?? record._PID,
        ...(severity === undefined ? {} : { severity: { code: severity } }),
        ...(facility === undefined ? {} : { facility: { code: facility } }),
      },
      ...(isCut ? { flags: ['truncated'] } : {}),
    },
    process: { executable: record._EXE, command_line: record._CMDLINE },
    systemd: { unit: record._SYSTEMD_UNIT, transport: record._TRANSPORT },
    message: isCut ? Buffer.from(message).toString('utf8', 0, longestLine) : message,
  };
}

/** UTC offset, such as +02:00, for lines without a time zone. */
export function zoneOffset(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
