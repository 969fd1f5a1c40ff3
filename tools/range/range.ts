/**
 * `npm run range`: plays the techniques in hosts that it boots itself, joined by a network of their own, and records what their agent and
 * shippers post. Options: `--only a,b`, `--out FOLDER`, `--show`.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bringRangeTools } from '../e2e-tools.ts';
import { accelerator } from './guest.ts';
import { openImage } from './image.ts';
import { openRange } from './play.ts';
import { writeRecording } from './recording.ts';
import { techniques } from './techniques.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('../../detections/recordings', import.meta.url)) },
    show: { type: 'boolean', default: false },
  },
});

const started = Date.now();
const minutes = () => ((Date.now() - started) / 60_000).toFixed(1);
const only = values.only?.split(',');
const played = techniques.filter(({ slug }) => !only || only.includes(slug));

bringRangeTools();
mkdirSync(values.out, { recursive: true });
const image = await openImage();
const range = await openRange(image, await accelerator(image));
let events = 0;
try {
  console.log(`The hosts are up after ${minutes()} minutes.`);
  for (const technique of played) {
    const { documents, outputs } = await range.play(technique);
    events += documents.length;
    if (documents.length > 0) writeRecording(values.out, technique, documents);
    else process.exitCode = 1;
    console.log(`${technique.slug}: ${documents.length} events`);
    if (values.show) console.log(outputs.join('\n'));
  }
} finally {
  await range.close();
}
console.log(`${played.length} techniques, ${events} events, ${minutes()} minutes.`);
process.exit();
