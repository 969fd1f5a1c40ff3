/**
 * Country and network of an event’s two addresses, against parsing the event itself. Tables of 300,000 ranges each, as published ones have, or those that
 * ADDRESS_TABLES names.
 */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadNetworks, networkOf } from '@parapet/server/domain/networks.ts';
import type { Options, Result } from './run.ts';

const ranges = 300_000;

let seed = 42;
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed;
};
const shown = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

async function madeTables(): Promise<string[]> {
  const [countries, systems]: [string[], string[]] = [[], []];
  const step = Math.floor(0xe000_0000 / ranges);
  for (let at = 0; at < ranges; at++) {
    const [first, last] = [shown(at * step), shown(at * step + step - 1 - (random() % 1_000))];
    const letters = [65 + (random() % 26), 65 + (random() % 10)];
    countries.push(`${first},${last},${String.fromCharCode(...letters)}`);
    systems.push(`${first},${last},${random() % 400_000},Network ${at % 70_000}`);
  }
  const paths = ['countries', 'systems'].map((name) => join(tmpdir(), `bench-${process.pid}-${name}.csv`));
  await writeFile(paths[0]!, countries.join('\n'));
  await writeFile(paths[1]!, systems.join('\n'));
  return paths;
}

/** Processor time of one call, in nanoseconds; the second of two rounds counts. */
function measure(rounds: number, work: (at: number) => unknown): number {
  let nanoseconds = 0;
  for (let round = 0; round < 2; round++) {
    const start = process.cpuUsage();
    for (let at = 0; at < rounds; at++) work(at);
    nanoseconds = (process.cpuUsage(start).user * 1e3) / rounds;
  }
  return nanoseconds;
}

export async function run({ small }: Options): Promise<Result[]> {
  const rounds = small ? 200_000 : 1_000_000;
  const given = (process.env.ADDRESS_TABLES ?? '').split(',').filter(Boolean);
  const paths = given.length > 0 ? given : await madeTables();
  await loadNetworks(paths);
  if (given.length === 0) await Promise.all(paths.map((path) => rm(path)));

  const four = Array.from({ length: 4_096 }, () => shown(random()));
  const event = JSON.stringify({
    '@timestamp': '2026-11-28T09:00:00.000Z',
    message: 'Built outbound TCP connection',
    event: {
      dataset: 'cisco.asa',
      action: 'connection-started',
      category: ['network'],
      type: ['connection', 'start', 'allowed'],
    },
    source: { ip: '10.20.1.10', port: 51_544, bytes: 1_200 },
    destination: { ip: '203.0.113.9', port: 443, bytes: 20_400 },
    network: { transport: 'tcp', direction: 'outbound' },
    host: { name: 'fw-01' },
  });
  const value = measure(rounds, (at) => [networkOf(four[at & 4_095]!), networkOf(four[(at * 7 + 1) & 4_095]!)]);
  const limit = measure(rounds / 4, () => JSON.parse(event));
  return [{ name: 'addresses.event', unit: 'ns', value: Math.round(value), limit: Math.round(limit), ratio: value / limit }];
}
