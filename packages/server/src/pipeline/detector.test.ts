import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/database.ts';
import { scoped } from '../core/db/scope.ts';
import { createDetector, readBuiltIn } from './detector.ts';

let database: TestDatabase;
let rulesDir: string;
beforeAll(async () => {
  database = await testDatabase();
  rulesDir = await mkdtemp(join(tmpdir(), 'parapet-rules-'));
});
afterAll(async () => {
  await database.close();
  await rm(rulesDir, { recursive: true });
});

const rule = (id: string, more: string) => `
title: Rule ${id}
id: ${id}
logsource: { product: linux }
detection: { selection: { message: ${id} }, condition: selection }
level: high
${more}`;

test('stores guidance of rules, without values of the wrong type', async () => {
  const texts = {
    whole:
      'custom: { category: Execution, confidence: high, why: " A key was read. ", check: [Read the line., Ask the user., Look for a copy.] }',
    odd: `custom: { confidence: certain, why: [1], check: [" One. ", { a: 1 }, "", ${'x'.repeat(3000)}] }`,
    plain: 'custom: { category: Execution, confidence: low }',
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(rulesDir, `${name}.yml`), rule(name, text));
  const detector = await createDetector({ db: database.db, builtIn: await readBuiltIn(rulesDir) });
  expect(detector.faults).toEqual([]);
  const stored = await scoped(database.db, 'system', (tx) =>
    tx.selectFrom('rules').select(['key', 'facts']).orderBy('key').execute(),
  );
  expect(stored.map(({ key, facts }) => [key, facts.guidance])).toEqual([
    ['odd', { confidence: null, whyItMatters: '', checkFirst: ['One.', 'x'.repeat(2000)] }],
    ['plain', undefined],
    [
      'whole',
      {
        confidence: 'high',
        whyItMatters: 'A key was read.',
        checkFirst: ['Read the line.', 'Ask the user.', 'Look for a copy.'],
      },
    ],
  ]);
});

test('keeps former rules as not loaded until they return', async () => {
  const loaded = async () => {
    await createDetector({ db: database.db, builtIn: await readBuiltIn(rulesDir) });
    const rows = await scoped(database.db, 'system', (tx) =>
      tx.selectFrom('rules').select('key').where('is_loaded', '=', true).orderBy('key').execute(),
    );
    return rows.map(({ key }) => key);
  };
  await writeFile(join(rulesDir, 'later.yml'), rule('later', ''));
  const all = await loaded();
  expect(all).toContain('later');
  await rm(join(rulesDir, 'later.yml'));
  expect(await loaded()).toEqual(all.filter((key) => key !== 'later'));
  await writeFile(join(rulesDir, 'later.yml'), rule('later', ''));
  expect(await loaded()).toEqual(all);
});
