/** Program of blocks.kill.test.ts: stores numbered events and merges blocks until it is killed. Prints a number when the events below it are stored. */
import { connect } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { eventStore } from '../src/domain/events/eventStore.ts';
import { mergeBlocks } from '../src/domain/events/merge.ts';
import { batchSize, numbered } from './blocks.ledger.ts';

const [url = '', organisation = '', start = ''] = process.argv.slice(2);
const db = connect({ url, applicationName: 'killed', poolSize: 4 });
const organisationId = Number(organisation);

async function store(): Promise<never> {
  for (let first = Number(start); ; first += batchSize) {
    const events = Array.from({ length: batchSize }, (_, n) => numbered(first + n));
    await scoped(db, { organisationIds: [organisationId] }, (tx) => eventStore.append(tx, organisationId, events));
    process.stdout.write(`${first + batchSize}\n`);
  }
}

async function merge(): Promise<never> {
  for (;;) await mergeBlocks(db, Date.UTC(2026, 11, 31));
}

await Promise.all([store(), merge()]);
