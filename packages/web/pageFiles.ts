/** Files of each page, which the server names in the page that it serves: fetched beside the base, not once it has run (`public/scheme.js`). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const routesFile = join(import.meta.dirname, 'src/app/routes/pages.ts');
/** Code of every page inside the shell. */
const ofEach = ['index', 'Shell'];
const withEach = ['prefetch'];
/** Of a page; more small files hold the base up instead (docs/decisions/0133-files-of-a-page.md). */
const maxFiles = 12;

/** Modules that the routes of a first segment below /apps import, by that segment, as the routes' source names them. */
export function modulesOfPages(source: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const route of source.split('createRoute(')) {
    const segment = /path: '\/apps\/([\w-]+)/.exec(route)?.[1];
    const modules = [...route.matchAll(/import\('[./]*\/([\w/.-]+)'\)/g)].map(([, module]) => module as string);
    if (segment && modules.length > 0) found.set(segment, [...(found.get(segment) ?? []), ...modules]);
  }
  return found;
}

/** Writes `pages.json`: the files of a page by the first segment of its address, without those that every page has. */
export const pageFiles: Plugin = {
  name: 'parapet:page-files',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const needed = (chunk: Rolldown.OutputChunk | undefined): Set<string> => {
        const files = new Set(chunk ? [chunk.fileName] : []);
        for (const file of files)
          for (const next of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) files.add(next);
        return files;
      };
      const named = (names: readonly string[]) => chunks.filter(({ name }) => names.includes(name));
      const common = new Set(named(ofEach).flatMap((chunk) => [...needed(chunk)]));
      const pages = [...modulesOfPages(readFileSync(routesFile, 'utf8'))].map(([segment, modules]) => {
        const own = modules.map((module) => chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${module}`)));
        const files = new Set([...own, ...named(withEach)].flatMap((chunk) => [...needed(chunk)]));
        return [segment, [...files].filter((file) => !common.has(file)).map((file) => `/${file}`)] as const;
      });
      this.emitFile({
        type: 'asset',
        fileName: 'pages.json',
        source: JSON.stringify(Object.fromEntries(pages.filter(([, files]) => files.length <= maxFiles))),
      });
    },
  },
};
