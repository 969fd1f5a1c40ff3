/**
 * Program of kill.clickhouse.ts: stores numbered events, merges blocks, moves them to ClickHouse and trims the journal until it is killed. Prints a
 * number when the events below it are stored, and `moved` when some were moved.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../src/core/db/connect.ts';
import { connectClickHouse } from '../../src/domain/events/clickhouse/client.ts';
import { useClickHouse } from '../../src/domain/events/clickhouse/connected.ts';
import { cleanMoves, moveBlocks, trimJournal } from '../../src/domain/events/clickhouse/move.ts';
import { mergeBlocks } from '../../src/domain/events/merge.ts';
import { storeNumbered } from '../blocks.ledger.ts';

const [url = '', organisation = '', start = '', clickHouseUrl = ''] = process.argv.slice(2);
const db = connect({ url, applicationName: 'killed', poolSize: 4 });
const clickHouse = connectClickHouse({ url: clickHouseUrl });
useClickHouse(clickHouse);
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

await Promise.all([storeNumbered(db, Number(organisation), Number(start)), merge(), move()]);
