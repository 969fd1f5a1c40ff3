/** Erases a client until it is done or killed: `node erasure.eraser.ts <database> <organisation> <folder>`. Batches are small, so that it takes many transactions. */
import { openBlobs } from '../src/core/blobs.ts';
import { connect } from '../src/core/db/connect.ts';
import { erase } from '../src/features/erasure/erasure.job.ts';
import { erasureDeps } from './erasure.fixture.ts';

const [url = '', organisation = '', folder = ''] = process.argv.slice(2);
const db = connect({ url, applicationName: 'eraser', poolSize: 2 });
process.stdout.write('started\n');
await erase(erasureDeps(db, openBlobs(undefined, folder), 2), Number(organisation));
process.stdout.write('done\n');
await db.close();
