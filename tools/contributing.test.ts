/** Type-checks every ts and tsx example of CONTRIBUTING.md, and the feature that `npm run new` creates, against the sources. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { binOf } from './bin.ts';
import { root } from './imports.ts';
import { filesOf, namesOf } from './new-feature.ts';

const folder = join(root, 'tools', '.examples');

/** Files that add to a type of another folder, which no import of an example leads to. */
const declarations = [
  ...['audit', 'messages', 'sealed'].map((kind) => `../../packages/server/src/**/*.${kind}.ts`),
  '../../packages/web/src/app/router.ts',
];

/** In the order of the document, as `03.tsx`, or at the path beside the language. */
function examplesOf(document: string): { name: string; code: string }[] {
  return [...document.matchAll(/^```(tsx?)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language, path, code], index) => ({
    name: path ?? `${String(index + 1).padStart(2, '0')}.${language}`,
    code: code ?? '',
  }));
}

/** Files of a new feature, with table and permissions of the golden one in place of those that a person adds. */
const created = filesOf(namesOf('spare-parts')).map(({ path, text }) => ({
  name: path,
  code: text.replaceAll("'spare_parts'", "'tags'").replaceAll("'spareParts:", "'tags:"),
}));

function faultsIn(examples: readonly { name: string; code: string }[]): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    for (const { name, code } of examples) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    }
    const config = {
      extends: '../../tsconfig.json',
      // Relative imports of a new feature lead to the sources.
      compilerOptions: {
        rootDirs: ['.', '../..'],
        paths: { '@parapet/contract/spare-parts.ts': ['./packages/contract/src/spare-parts.ts'] },
      },
      include: ['**/*.ts', '**/*.tsx', '../../packages/*/src/**/*.d.ts', ...declarations],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, [binOf('typescript', 'tsc'), '--noEmit', '-p', folder], { encoding: 'utf8' });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('compiles with a new feature, and a wrong example among them does not', { timeout: 360_000 }, () => {
  const examples = examplesOf(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'));
  expect(examples.length).toBeGreaterThanOrEqual(8);
  const wrong = { name: 'wrong.ts', code: 'export const length: number = "three";' };
  expect(faultsIn([...examples, ...created, wrong])).toMatch(
    /^\S*wrong\.ts\(1,14\): error TS2322: Type 'string' is not assignable to type 'number'\.\n$/,
  );
});
