/** Reads the imports of the repository’s files, as text: enough for the import rules. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export interface Import {
  file: string;
  /** A path in the repository, or the specifier of a package. */
  target: string;
  isTypeOnly: boolean;
  /** An `export … from`. */
  isExport: boolean;
}

export function sourceFiles(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') || name.includes('/dist') }).sort();
}

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const statement = /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

export const importsOf = (file: string): Import[] => importsIn(file, textOf(file));

export function importsIn(file: string, text: string): Import[] {
  return [...text.matchAll(statement)].map(([, keyword, type, specifier, dynamic]) => ({
    file,
    target: targetOf(file, specifier ?? dynamic ?? ''),
    isTypeOnly: type !== undefined,
    isExport: keyword === 'export',
  }));
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, resolve(root, dirname(file), specifier));
  const own = /^@parapet\/([a-z]+)\/(.+)$/.exec(specifier);
  if (own)
    return ['e2e', 'bench', 'tools'].includes(own[1] as string) ? `${own[1]}/${own[2]}` : `packages/${own[1]}/src/${own[2]}`;
  return specifier;
}

/** Groups of files that import each other, directly or through others: strongly connected components (Tarjan). */
export function importCycles(imports: readonly Pick<Import, 'file' | 'target'>[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target]);
  const indices = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    indices.set(file, indices.size);
    low.set(file, indices.get(file) as number);
    stack.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!targets.has(target)) continue;
      if (!indices.has(target)) visit(target);
      else if (!stack.includes(target)) continue;
      low.set(file, Math.min(low.get(file) as number, low.get(target) as number));
    }
    if (low.get(file) !== indices.get(file)) return;
    const group = stack.splice(stack.indexOf(file)).sort();
    if (group.length > 1) cycles.push(group);
  };
  for (const file of targets.keys()) if (!indices.has(file)) visit(file);
  return cycles;
}
