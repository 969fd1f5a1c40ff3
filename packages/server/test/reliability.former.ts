/** An earlier commit in a folder of its own, whose programs run beside those of this version on the packages of this installation. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFolder } from './reliability.portal.ts';

const parts = ['package.json', 'packages', 'detections', 'tools'];

export interface FormerVersion {
  readonly folder: string;
  /** Its short hash. */
  readonly commit: string;
  /** Files of migrations that this version adds to it. */
  readonly migrations: readonly string[];
  remove(): Promise<void>;
}

const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: ownFolder, encoding: 'utf8', maxBuffer: 2 ** 20 }).trim();

/** The commit before this one; undefined in a folder without history. */
export function previousCommit(): string | undefined {
  try {
    return git('rev-parse', '--verify', '--quiet', 'HEAD^');
  } catch {
    return undefined;
  }
}

/** Links to the installed packages, except those of the workspace, which are the commit's own. */
async function linkPackages(folder: string): Promise<void> {
  const [installed, linked] = [join(ownFolder, 'node_modules'), join(folder, 'node_modules')];
  await mkdir(join(linked, '@parapet'), { recursive: true });
  for (const name of await readdir(installed))
    if (name !== '@parapet' && !name.startsWith('.')) await symlink(join(installed, name), join(linked, name));
  for (const name of await readdir(join(folder, 'packages'))) {
    await symlink(join(folder, 'packages', name), join(linked, '@parapet', name));
    const own = join(ownFolder, 'packages', name, 'node_modules');
    if (existsSync(own)) await symlink(own, join(folder, 'packages', name, 'node_modules'));
  }
}

export async function formerVersion(commit: string): Promise<FormerVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'parapet-former-'));
  const archive = execFileSync('git', ['archive', commit, ...parts], { cwd: ownFolder, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await linkPackages(folder);
  const migrations = 'packages/server/src/migrations';
  const before = new Set(await readdir(join(folder, migrations)));
  return {
    folder,
    commit: git('rev-parse', '--short', commit),
    migrations: (await readdir(join(ownFolder, migrations))).filter((name) => !before.has(name)),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
