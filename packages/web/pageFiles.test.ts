import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modulesOfPages } from './pageFiles.ts';

const routes = readFileSync(new URL('./src/app/routes/pages.ts', import.meta.url), 'utf8');

test('finds the modules of each page that the routes load', () => {
  const modules = modulesOfPages(routes);
  expect(modules.get('case')).toEqual(['features/cases/CasePage.tsx', 'features/cases/cases.loader.ts']);
  expect(modules.get('response')).toContain('features/responses/ResponsePage.tsx');
  const named = [...routes.matchAll(/path: '\/apps\/([\w-]+)[^']*',\n\s+component: lazyPage/g)].map(([, segment]) => segment);
  expect(named.length).toBeGreaterThan(30);
  for (const segment of named) expect(modules.get(segment as string), segment).toBeDefined();
});
