/**
 * Alerts on benign events, as a figure: `npm run noise`. Two clients on two cores by default; ends with status 1 over budget.
 *   npm run noise -- --events 1200000 --examples
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { alertsOf, figuresOf, levels, measureNoise, type Noise, type Run, sumNoise } from '../detections/testing/noise.ts';

/** Events of a client’s day in the model. */
const eventsADay = 120_000;

if (isMainThread) await main();
else parentPort!.postMessage(measureNoise(workerData as Run));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '1200000' },
      clients: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
      examples: { type: 'boolean', default: false },
    },
  });
  const clients = Number(values.clients);
  const count = Math.ceil(Number(values.events) / clients);
  const runs: Run[] = Array.from({ length: clients }, (_, index) => ({
    seed: Number(values.seed) * 1_000 + index,
    count,
    days: count / eventsADay,
  }));
  const started = performance.now();
  const noise = sumNoise(await inWorkers(runs));
  print(noise, values.examples);
  const figures = figuresOf(noise);
  process.stdout.write(`\n${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
  const over = figures.filter(({ isWithin }) => !isWithin).map(({ source }) => source);
  if (over.length > 0) process.stdout.write(`Over budget: ${over.join(', ')}\n`);
  process.exitCode = over.length > 0 ? 1 : 0;
}

/** As many runs at once as there are cores. */
async function inWorkers(runs: readonly Run[]): Promise<Noise[]> {
  const results: Noise[] = [];
  let next = 0;
  const lane = async () => {
    while (next < runs.length) {
      const index = next++;
      results[index] = await inWorker(runs[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), runs.length) }, lane));
  return results;
}

function inWorker(run: Run): Promise<Noise> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: run });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function print(noise: Noise, withExamples: boolean): void {
  const line = (cells: readonly (string | number)[]) =>
    process.stdout.write(
      `${cells.map((cell, index) => (index === 0 ? String(cell).padEnd(20) : String(cell).padStart(10))).join('')}\n`,
    );
  line(['source', 'events', ...levels.map((level) => level.slice(0, 9)), 'severe/1k', 'all/1k']);
  for (const { source, events, alerts, severe, all, isWithin } of figuresOf(noise))
    line([source, events, ...levels.map((level) => alerts[level]), severe.toFixed(4), all.toFixed(3), isWithin ? '' : 'over']);
  process.stdout.write('\nrule\n');
  for (const rule of Object.values(noise.rules).sort((a, b) => alertsOf(b) - alertsOf(a))) {
    const perThousand = Object.entries(rule.alerts)
      .map(([source, count]) => `${source} ${((count / (noise.events[source] ?? 1)) * 1_000).toFixed(4)}`)
      .join(', ');
    process.stdout.write(
      `${String(alertsOf(rule)).padStart(7)} ${rule.level.padEnd(13)} ${rule.file} (${perThousand} per 1,000)\n`,
    );
    if (withExamples) for (const example of rule.examples) process.stdout.write(`          ${example.replaceAll('\n', ' ')}\n`);
  }
}
