/** Program of blocks.kill.long.test.ts: stores numbered events and merges blocks until it is killed. Prints a number when the events below it are stored. */
import { connect } from '../src/core/db/connect.ts';
import { mergeBlocks } from '../src/domain/events/merge.ts';
import { storeNumbered } from './blocks.ledger.ts';

const [url = '', organisation = '', start = ''] = process.argv.slice(2);
const db = connect({ url, applicationName: 'killed', poolSize: 4 });
async function merge(): Promise<never> {
  for (;;) await mergeBlocks(db, Date.UTC(2026, 11, 31));
}

await Promise.all([storeNumbered(db, Number(organisation), Number(start)), merge()]);
