/** Verifies a signed archive of a case: `npm run -s verify-archive -- case-12.zip`. Exit code 1 when anything was changed. */
import { readFileSync } from 'node:fs';
import { verifyArchive } from './features/cases/cases.verify.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Name the archive: npm run -s verify-archive -- case-12.zip');
  process.exit(1);
}
const { faults, files, fingerprint, contents } = verifyArchive(readFileSync(file));
for (const name of files) console.log(`ok  ${name}`);
for (const fault of faults) console.error(`BROKEN  ${fault}`);
if (fingerprint) console.log(`Key ${fingerprint}, contents: ${contents}`);
process.exit(faults.length > 0 ? 1 : 0);
