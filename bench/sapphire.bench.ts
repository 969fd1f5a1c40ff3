/**
 * G: accuracy and speed of Sapphire's embedded planner on everyday questions over the demo world. Held-out questions are never
 * printed, only shares, to prevent tuning towards them. npm run bench -- sapphire [--small] [--part tuning|heldout|speed]
 * [--misses <file in the temp folder>]
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { connect } from '@parapet/server/core/db/connect.ts';
import pg from 'pg';
import { startServer } from './cpu.ts';
import type { Options, Result } from './run.ts';
import { evaluate, type Judged, tableOf } from './sapphire/evaluate.ts';
import { openPeople } from './sapphire/people.ts';
import { type Part, parts } from './sapphire/questions.ts';
import { measureSpeed } from './sapphire/speed.ts';

export async function run(_isCi: boolean, { small, part, misses }: Options): Promise<Result[]> {
  const wanted = parts.filter((each) => part === undefined || part === each);
  return [
    ...(wanted.length > 0 ? await understanding(wanted, misses) : []),
    ...(part === undefined || part === 'speed' ? await measureSpeed(small ? 50_000 : 1_000_000) : []),
  ];
}

async function understanding(wanted: readonly Part[], misses: string | undefined): Promise<Result[]> {
  const { told, stop } = await startServer<{ url: string; ownerUrl: string; databaseUrl: string }>('./sapphire/world.server.ts');
  const db = connect({ url: told.databaseUrl, applicationName: 'bench', poolSize: 4 });
  const pool = new pg.Pool({ connectionString: told.ownerUrl, max: 4 });
  pool.on('error', () => {});
  try {
    const results: Result[] = [];
    for (const part of wanted) {
      const judged = await evaluate(part, { url: told.url, pool, people: await openPeople(db) });
      console.log(`${part}:\n${tableOf(judged)}\n`);
      if (part === 'tuning' && misses) await writeMisses(misses, judged);
      results.push(...sharesOf(part, judged));
    }
    return results;
  } finally {
    await pool.end();
    await db.close();
    await stop();
  }
}

async function writeMisses(name: string, judged: readonly Judged[]): Promise<void> {
  const file = join(tmpdir(), basename(name));
  const lines = judged.flatMap(({ miss }) => (miss ? [JSON.stringify(miss)] : []));
  await writeFile(file, `${lines.join('\n')}\n`);
  console.log(`${lines.length} tuning misses written to ${file}\n`);
}

function sharesOf(part: Part, judged: readonly Judged[]): Result[] {
  const share = (name: string, right: number, of: number): Result => ({
    name: `sapphire.${part}.${name}`,
    unit: 'questions',
    value: right,
    limit: of,
    ratio: of === 0 ? 0 : right / of,
  });
  const figures = judged.filter(({ isFigureRight }) => isFigureRight !== undefined);
  return [
    share('skill', judged.filter(({ isSkillRight }) => isSkillRight).length, judged.length),
    share('slots', judged.filter(({ areSlotsRight }) => areSlotsRight).length, judged.length),
    share('figure', figures.filter(({ isFigureRight }) => isFigureRight).length, figures.length),
  ];
}
