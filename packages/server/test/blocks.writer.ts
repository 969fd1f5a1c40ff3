/**
 * Program of tests that kill it: stores numbered events with copies for alerts, merges blocks and packs copies until it is killed, or does only one part. Prints a
 * number when the events below it are stored, and the number of blocks that became fewer when it merges alone.
 */
import { connect } from '../src/core/db/connect.ts';
import { packAlertEvents } from '../src/domain/alertEvents.pack.ts';
import { mergeBlocks } from '../src/domain/events/merge.ts';
import { copyToAlerts, storeNumbered } from './blocks.ledger.ts';

const [url = '', organisation = '', start = '', work = 'all'] = process.argv.slice(2);
const db = connect({ url, applicationName: 'killed', poolSize: 4, connectTimeoutMs: 60_000 });
const later = Date.UTC(2026, 11, 31);
async function merge(): Promise<never> {
  for (let fewer = 0; ; ) {
    fewer += await mergeBlocks(db, later);
    if (work === 'merge') process.stdout.write(`${fewer}\n`);
  }
}
async function pack(): Promise<never> {
  for (;;) await packAlertEvents(db, later, 60_000);
}
const store = () => storeNumbered(db, Number(organisation), Number(start), copyToAlerts);

await Promise.all([...(work === 'merge' ? [] : [store()]), ...(work === 'store' ? [] : [merge(), pack()])]);
