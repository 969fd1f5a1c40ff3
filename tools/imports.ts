/** Extracts the imports of repository files textually, for the architecture rules. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export interface Import {
  file: string;
  /** Repository path or package name. */
  target: string;
  isTypeOnly: boolean;
}

export function sourceFiles(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') || name.includes('/dist') }).sort();
}

const statement = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

export function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(statement)].map((match) => {
    const specifier = match[2] ?? match[3] ?? '';
    return { file, target: targetOf(file, specifier), isTypeOnly: match[1] !== undefined };
  });
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, resolve(root, dirname(file), specifier));
  const own = /^@parapet\/([a-z]+)\/(.+)$/.exec(specifier);
  if (own)
    return ['e2e', 'bench', 'tools'].includes(own[1] as string) ? `${own[1]}/${own[2]}` : `packages/${own[1]}/src/${own[2]}`;
  return specifier;
}
