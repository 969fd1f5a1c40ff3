/**
 * Grouping of modules into output files. By default every set of pages that shares something gets its own files, up to a hundred for one page, and each
 * costs a request and a link. A group holds all dependencies of a module except those of earlier groups, so no file waits for a later one.
 */
import { join } from 'node:path';

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const src = (file: string) => join(import.meta.dirname, 'src', file);
const entry = src('main.tsx');
const login = src('features/auth/LoginPage.tsx');
const shell = src('app/shell/Shell.tsx');
const alerts = src('features/alerts/AlertsPage.tsx');
const cases = src('features/cases/CasesPage.tsx');
const devices = src('features/devices/DevicesPage.tsx');
const alert = src('features/alerts/AlertPage.tsx');

/**
 * In this order: what every page needs, the sign-in's part of the shell, the shell, what the large lists have in common, what alerts and cases
 * have, and what a list of alerts shows beside it.
 */
const plan: { name: string; all: string[] }[] = [
  { name: 'base', all: [entry] },
  { name: 'fields', all: [login, shell] },
  { name: 'shell', all: [shell] },
  { name: 'lists', all: [alerts, cases, devices] },
  { name: 'queues', all: [alerts, cases] },
  { name: 'alert', all: [alerts, alert] },
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
  return plan.map(({ name, all }, index) => ({
    name: (id: string, modules: Modules) =>
      // The page itself stays a file of its own name.
      !all.includes(id) && all.every((module) => needsOf(module, modules).has(id)) ? name : null,
    debugName: name,
    priority: plan.length - index,
  }));
}
