/**
 * Plays the labelled cases of `detections/cases` and prints verdicts and figures: `npm run -s verdicts -- [--facts FILE] [--only TEXT] [--rules] [--quiet]`.
 * `--facts` writes the model's input of the cases that are not locked, `--only` plays cases whose name or family contains the text, `--rules` lists
 * the rules of the alerts. `--lock` plays nothing: it pins new cases of the locked third, and refuses if one was changed or removed.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../../src/core/db/embedded.ts';
import { appUrl, migrate } from '../../src/core/db/migrate.ts';
import { silentLog } from '../../src/core/log.ts';
import { casesFolder, lockOf, readCases } from './cases.ts';
import { openStage, type PlayedCase } from './play.ts';
import { lineOf, reportOf } from './report.ts';

const { values } = parseArgs({
  options: {
    facts: { type: 'string' },
    only: { type: 'string' },
    lock: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    rules: { type: 'boolean', default: false },
  },
});

if (values.lock) {
  await lock();
  process.exit();
}

const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const dataDir = await mkdtemp(join(tmpdir(), 'parapet-verdicts-'));
const postgres = await startEmbedded({ dataDir, log: silentLog, settings });
try {
  await migrate({
    ownerUrl: postgres.ownerUrl,
    folder: fileURLToPath(new URL('../../src/migrations', import.meta.url)),
    log: silentLog,
  });
  const stage = await openStage(appUrl(postgres.ownerUrl));
  const { only } = values;
  const wanted = readCases().filter(({ name, family }) => only === undefined || name.includes(only) || family.includes(only));
  const played: PlayedCase[] = [];
  const begun = performance.now();
  for (const labelled of wanted) {
    const result = await stage.play(labelled);
    played.push(result);
    if (!values.quiet) console.log(lineOf(result, values.rules));
  }
  console.log(reportOf(played));
  console.log(`\n${played.length} cases in ${((performance.now() - begun) / 1_000).toFixed(1)} s.`);
  if (values.facts !== undefined) {
    const open = played.filter(({ isLocked }) => !isLocked);
    await writeFile(values.facts, `${JSON.stringify(open, undefined, 1)}\n`);
    console.log(`Facts of ${open.length} cases that are not locked: ${values.facts}`);
  }
  await stage.close();
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function lock(): Promise<void> {
  const file = join(casesFolder, 'locked.json');
  const pinned = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<string, string>;
  const wanted = lockOf(readCases());
  const changed = Object.keys(pinned).filter((name) => wanted[name] !== pinned[name]);
  if (changed.length > 0) throw new Error(`Locked cases were changed or removed:\n${changed.join('\n')}`);
  await writeFile(file, `${JSON.stringify(wanted, undefined, 2)}\n`);
  console.log(
    `${Object.keys(wanted).length} cases are locked, ${Object.keys(wanted).length - Object.keys(pinned).length} of them new.`,
  );
}
