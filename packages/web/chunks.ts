/**
 * Grouping of modules into output files. By default every set of pages that shares something gets its own files, up to a hundred for one page, and each
 * costs a request and a link. A group holds all dependencies of a module except those of earlier groups, so no file waits for a later one.
 */
import { join } from 'node:path';

interface Modules {
  getModuleInfo(
    id: string,
  ): { importedIds: readonly string[]; importers: readonly string[]; dynamicImporters: readonly string[] } | null;
}

const src = (file: string) => join(import.meta.dirname, 'src', file);
const entry = src('main.tsx');
const login = src('features/auth/LoginPage.tsx');
const shell = src('app/shell/Shell.tsx');
const alerts = src('features/alerts/AlertsPage.tsx');
const cases = src('features/cases/CasesPage.tsx');
const devices = src('features/devices/DevicesPage.tsx');
const alert = src('features/alerts/AlertPage.tsx');
const oneCase = src('features/cases/CasePage.tsx');
const responses = src('features/responses/ResponsesPage.tsx');
/** Parts of no feature. */
const parts = /\/node_modules\/|\/src\/(kit|lib)\/|\/contract\/src\//;

/**
 * In this order: what every page needs, the sign-in's part of the shell, the shell, what the large lists have in common, what alerts and cases
 * have, what a list of alerts shows beside it, and of a case's page the parts of no feature, what responses have, and what no other page needs.
 */
const plan: { name: string; all: string[]; of?: RegExp; isOwn?: true }[] = [
  { name: 'base', all: [entry] },
  { name: 'fields', all: [login, shell] },
  { name: 'shell', all: [shell] },
  { name: 'lists', all: [alerts, cases, devices] },
  { name: 'queues', all: [alerts, cases] },
  { name: 'alert', all: [alerts, alert] },
  { name: 'parts', all: [oneCase], of: parts },
  { name: 'respond', all: [oneCase, responses] },
  { name: 'case', all: [oneCase], isOwn: true },
];

export function chunkGroups() {
  const needs = new Map<string, ReadonlySet<string>>();
  /** A module and all that it imports at once, at any distance. */
  const needsOf = (module: string, modules: Modules): ReadonlySet<string> => {
    const known = needs.get(module);
    if (known) return known;
    const found = new Set([module]);
    for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next);
    needs.set(module, found);
    return found;
  };
  /** True for a module that is imported by nothing but what one of `pages` leads to. */
  const isOwnOf = (pages: readonly string[], id: string, modules: Modules, passed = new Set<string>()): boolean => {
    if (pages.includes(id) || passed.has(id)) return true;
    passed.add(id);
    const info = modules.getModuleInfo(id);
    const importers = [...(info?.importers ?? []), ...(info?.dynamicImporters ?? [])];
    return importers.length > 0 && importers.every((importer) => isOwnOf(pages, importer, modules, passed));
  };
  return plan.map(({ name, all, of, isOwn }, index) => ({
    name: (id: string, modules: Modules) => {
      // The page itself stays a file of its own name.
      if (all.includes(id) || (of && !of.test(id)) || !all.every((module) => needsOf(module, modules).has(id))) return null;
      return !isOwn || isOwnOf(all, id, modules) ? name : null;
    },
    debugName: name,
    priority: plan.length - index,
  }));
}
