/**
 * Program of kill.clickhouse.ts: stores numbered events, merges blocks, moves them to ClickHouse and trims the journal until it is killed. Prints a
 * number when the events below it are stored, and `moved` when some were moved.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../src/core/db/connect.ts';
import { scoped } from '../../src/core/db/scope.ts';
import { connectClickHouse } from '../../src/domain/events/clickhouse/client.ts';
import { useClickHouse } from '../../src/domain/events/clickhouse/connected.ts';
import { cleanMoves, moveBlocks, trimJournal } from '../../src/domain/events/clickhouse/move.ts';
import { eventStore } from '../../src/domain/events/eventStore.ts';
import { mergeBlocks } from '../../src/domain/events/merge.ts';
import { batchSize, numbered } from '../blocks.ledger.ts';

const [url = '', organisation = '', start = '', clickHouseUrl = ''] = process.argv.slice(2);
const db = connect({ url, applicationName: 'killed', poolSize: 4 });
const clickHouse = connectClickHouse({ url: clickHouseUrl });
useClickHouse(clickHouse);
const organisationId = Number(organisation);

async function store(): Promise<never> {
  for (let first = Number(start); ; first += batchSize) {
    const events = Array.from({ length: batchSize }, (_, n) => numbered(first + n));
    await scoped(db, { organisationIds: [organisationId] }, (tx) => eventStore.append(tx, organisationId, events));
    process.stdout.write(`${first + batchSize}\n`);
  }
}

async function merge(): Promise<never> {
  for (;;) {
    // The merge of a block whose move has begun is refused; the next one takes the others.
    await mergeBlocks(db, Date.UTC(2026, 11, 31)).catch(() => {});
    await pause(50);
  }
}

async function move(): Promise<never> {
  for (;;) {
    try {
      if ((await moveBlocks(db, clickHouse, Date.now(), 1_000)) > 0) process.stdout.write('moved\n');
      await cleanMoves(db, clickHouse, Date.now() + 3_600_000);
      await trimJournal(db, Date.now());
    } catch {
      // ClickHouse may be away.
      await pause(100);
    }
  }
}

await Promise.all([store(), merge(), move()]);
