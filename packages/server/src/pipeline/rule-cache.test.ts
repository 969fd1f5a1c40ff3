import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadRules } from '@parapet/sigma/rules.ts';
import { readDocuments } from '@parapet/sigma/tree.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRuleFiles } from './detector.ts';
import { openRuleCache } from './rule-cache.ts';

const rulesDir = fileURLToPath(new URL('../../../../detections/linux', import.meta.url));
const rule = (title: string, value: string) => `title: ${title}
id: ${title}
logsource:
  product: linux
detection:
  selection:
    number: ${value}
  condition: selection
level: low
`;
const faulty = 'title: [';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rule-cache-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function stored(): Promise<string> {
  const [name] = await readdir(folder);
  return join(folder, name!);
}

describe('the cache of parsed rules', () => {
  test('loads the same rules as their texts', async () => {
    const files = await readRuleFiles(rulesDir);
    const plain = loadRules(files);
    const first = await openRuleCache(folder, rulesDir);
    loadRules(files, { documentsOf: first.documentsOf });
    await first.save();
    const second = await openRuleCache(folder, rulesDir);
    expect(loadRules(files, { documentsOf: second.documentsOf })).toEqual(plain);
    expect(plain.rules.length).toBeGreaterThan(50);
    await rm(await stored());
  });

  test('keeps numbers that JSON has no form for, and reads changed texts and errors again', async () => {
    const first = await openRuleCache(folder, 'a');
    for (const text of [rule('a', '.nan'), rule('b', '.inf'), faulty]) first.documentsOf(text);
    await first.save();
    const second = await openRuleCache(folder, 'a');
    for (const text of [rule('a', '.nan'), rule('b', '-0'), faulty])
      expect(second.documentsOf(text)).toEqual(readDocuments(text));
  });

  test('replaces a damaged file', async () => {
    await writeFile(await stored(), 'damaged');
    const cache = await openRuleCache(folder, 'a');
    expect(cache.documentsOf(rule('a', '1'))).toEqual(readDocuments(rule('a', '1')));
    await cache.save();
    expect((await readFile(await stored())).length).toBeGreaterThan(100);
  });

  test('works where its folder cannot be written', async () => {
    const cache = await openRuleCache(join(await stored(), 'below a file'), 'a');
    expect(cache.documentsOf(rule('a', '1'))).toHaveLength(1);
    await cache.save();
  });
});
