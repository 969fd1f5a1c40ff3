/** The program blocks.writer.ts as tests run and kill it, and all that is stored then. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import type { Database } from '../src/core/db/connect.ts';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { type AlertEvent, type AlertRef, readAlertEvents } from '../src/domain/alertEvents.ts';
import { eventStore, type StoredEvent } from '../src/domain/events/eventStore.ts';
import { nodeFlags } from '../src/node-flags.ts';
import { alertOf } from './blocks.ledger.ts';
import { runAs } from './database.ts';

const program = fileURLToPath(new URL('./blocks.writer.ts', import.meta.url));

export class Writer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #start: number;
  readonly #ended: Promise<unknown>;
  #output = '';
  #errors = '';
  #waiting: (() => void)[] = [];

  /** `work`: all, or only store or merge. */
  constructor(url: string, organisationId: number, start: number, work: 'all' | 'store' | 'merge' = 'all') {
    this.#start = start;
    this.#child = spawn(process.execPath, [...nodeFlags, program, url, String(organisationId), String(start), work]);
    this.#child.stdout.on('data', (chunk) => {
      this.#output += chunk;
      this.#wake();
    });
    this.#child.stderr.on('data', (chunk) => {
      this.#errors += chunk;
    });
    this.#ended = once(this.#child, 'close').then(() => this.#wake());
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Number of events that were acknowledged, of the last whole line. */
  get acknowledged(): number {
    const [, line] = /(\d+)\n[^\n]*$/.exec(this.#output) ?? [];
    return line === undefined ? this.#start : Number(line);
  }

  /** Waits until as many lines were printed or events acknowledged; throws when the program ends before. */
  async reaches(number: number): Promise<void> {
    while (this.acknowledged < number) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) throw new Error(`the writer ended: ${this.#errors}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Waits until it has ended of its own; throws after `limitMs`. */
  async ends(limitMs: number): Promise<void> {
    const limit = new AbortController();
    try {
      const late = pause(limitMs, true, { signal: limit.signal });
      if (await Promise.race([this.#ended.then(() => false), late])) throw new Error(`the writer still runs after ${limitMs} ms`);
    } finally {
      limit.abort();
    }
  }

  /** Kills it unless it has ended; returns the number of events that it acknowledged. */
  async kill(): Promise<number> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    return this.acknowledged;
  }
}

const all = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

export async function storedEvents(db: Database, organisationId: number): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  const scope = { organisationIds: [organisationId] };
  await scoped(db, scope, (tx) => eventStore.scan(tx, scope, all, (event) => found.push(event) < 0), {
    isolation: 'repeatable read',
  });
  return found;
}

/** Copies of alerts as readers get them, whether they are rows or packed, of the events from one number below another. */
export async function copiesOf(db: Database, organisationId: number, from: number, below: number) {
  const scope = { organisationIds: [organisationId] };
  const numbers = Array.from({ length: Math.max(0, below - from) }, (_, n) => from + n);
  const alerts: AlertRef[] = [...new Map(numbers.map((number) => [alertOf(number).id, alertOf(number)])).values()];
  const events = await readScoped(db, scope, (tx) => readAlertEvents(tx, scope, alerts, { most: 1_000 }));
  return [...events.values()].flat().map(({ text, document }: AlertEvent) => ({ text, json: JSON.stringify(document) }));
}

/** Copies that are stored: readers hide doubles. */
export async function countCopies(ownerUrl: string, organisationId: number): Promise<{ rows: number; packed: number }> {
  const [counts] = await runAs(
    ownerUrl,
    `select (select count(*) from alert_events where organisation_id = ${organisationId})::integer as rows,
      (select coalesce(sum(count), 0) from alert_event_packs where organisation_id = ${organisationId})::integer as packed`,
  );
  return counts?.rows[0] as { rows: number; packed: number };
}

/** Months of the numbered events. */
export const makeMonths = (db: Database): Promise<unknown> =>
  scoped(db, 'system', (tx) => sql`select make_partitions('2026-11-01', '2026-12-01')`.execute(tx));
