/**
 * Plays the labelled cases of `detections/cases` and prints verdicts and figures: `npm run -s verdicts -- [--facts FILE] [--only TEXT] [--open | --locked | --holdout] [--rules] [--quiet]`.
 * `--facts` writes the model's input of the cases that are not locked, `--only` plays cases whose name or family contains the text, `--open` leaves the
 * locked third unplayed, `--locked` plays it alone and `--holdout` the hold-out instead, and print totals alone, `--rules` lists the rules of the alerts. `--stories` sends the stories live instead. `--lock` plays nothing: it pins new cases of the locked third, and refuses if
 * one was changed or removed.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from '../../src/core/db/connect.ts';
import { startEmbedded } from '../../src/core/db/embedded.ts';
import { appUrl, migrate } from '../../src/core/db/migrate.ts';
import { silentLog } from '../../src/core/log.ts';
import { testApp } from '../app.ts';
import { casesFolder, holdoutFolder, isLocked, lockOf, readCases } from './cases.ts';
import { openStage, type PlayedCase } from './play.ts';
import { rangeCases } from './range.ts';
import { lineOf, reportOf, storyLinesOf, totalsOf } from './report.ts';
import { readStories, sendStory } from './stories.ts';
import { worldCases } from './world.ts';

const { values } = parseArgs({
  options: {
    facts: { type: 'string' },
    only: { type: 'string' },
    holdout: { type: 'boolean', default: false },
    lock: { type: 'boolean', default: false },
    locked: { type: 'boolean', default: false },
    open: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    rules: { type: 'boolean', default: false },
    stories: { type: 'boolean', default: false },
  },
});

if (values.lock) for (const folder of [casesFolder, holdoutFolder]) await lock(folder);
else await onDatabase(values.stories ? sendStories : playCases);

async function onDatabase(work: (ownerUrl: string) => Promise<void>): Promise<void> {
  // The data is disposable, so durability is off.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const dataDir = await mkdtemp(join(tmpdir(), 'parapet-verdicts-'));
  const { ownerUrl, stop } = await startEmbedded({ dataDir, log: silentLog, settings });
  try {
    const folder = fileURLToPath(new URL('../../src/migrations', import.meta.url));
    await migrate({ ownerUrl, folder, log: silentLog });
    await work(ownerUrl);
  } finally {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function playCases(ownerUrl: string): Promise<void> {
  const stage = await openStage(appUrl(ownerUrl));
  const { only } = values;
  // Locked cases are counted, never listed.
  const isBlind = values.locked || values.holdout;
  const known = values.holdout ? readCases(holdoutFolder) : [...readCases(), ...worldCases(), ...rangeCases()];
  const wanted = known.filter(
    ({ name, family }) =>
      !(values.open && isLocked(name)) &&
      !(values.locked && !isLocked(name)) &&
      (only === undefined || name.includes(only) || family.includes(only)),
  );
  const played: PlayedCase[] = [];
  const begun = performance.now();
  for (const labelled of wanted) {
    const result = await stage.play(labelled);
    played.push(result);
    if (!values.quiet && !isBlind) console.log(lineOf(result, values.rules));
  }
  console.log(isBlind ? totalsOf(values.holdout ? 'hold-out' : 'locked third', played) : reportOf(played));
  console.log(`\n${played.length} cases in ${((performance.now() - begun) / 1_000).toFixed(1)} s.`);
  if (values.facts !== undefined) {
    const open = played.filter(({ isLocked }) => !isLocked);
    await writeFile(values.facts, `${JSON.stringify(open, undefined, 1)}\n`);
    console.log(`Facts of ${open.length} cases that are not locked: ${values.facts}`);
  }
  await stage.close();
}

async function sendStories(ownerUrl: string): Promise<void> {
  const url = appUrl(ownerUrl);
  const db = connect({ url, applicationName: 'verdicts', poolSize: 2 });
  const app = await testApp({ PORTAL_ROLES: 'api,ingest,worker' }, { ownerUrl, url, db, close: () => db.close() });
  for (const story of readStories()) console.log(storyLinesOf(story, await sendStory(app, story)));
  await app.close();
}

async function lock(folder: string): Promise<void> {
  const file = join(folder, 'locked.json');
  const pinned = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<string, string>;
  const wanted = lockOf(readCases(folder));
  const changed = Object.keys(pinned).filter((name) => wanted[name] !== pinned[name]);
  if (changed.length > 0) throw new Error(`Locked cases were changed or removed:\n${changed.join('\n')}`);
  await writeFile(file, `${JSON.stringify(wanted, undefined, 2)}\n`);
  const count = Object.keys(wanted).length;
  console.log(`${count} cases are locked, ${count - Object.keys(pinned).length} of them new.`);
}
