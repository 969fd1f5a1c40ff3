/** Program of blocks.kill.long.test.ts: stores numbered events with copies for alerts, merges blocks and packs copies until it is killed. Prints a number when the events below it are stored. */
import { connect } from '../src/core/db/connect.ts';
import { packAlertEvents } from '../src/domain/alertEvents.pack.ts';
import { mergeBlocks } from '../src/domain/events/merge.ts';
import { copyToAlerts, storeNumbered } from './blocks.ledger.ts';

const [url = '', organisation = '', start = ''] = process.argv.slice(2);
const db = connect({ url, applicationName: 'killed', poolSize: 4, connectTimeoutMs: 60_000 });
const later = Date.UTC(2026, 11, 31);
async function merge(): Promise<never> {
  for (;;) await mergeBlocks(db, later);
}
async function pack(): Promise<never> {
  for (;;) await packAlertEvents(db, later, 60_000);
}

await Promise.all([storeNumbered(db, Number(organisation), Number(start), copyToAlerts), merge(), pack()]);
