/** Exchange of the built pages beside running portals, which name the files of the build that they started with (docs/decisions/0163-former-builds.md). */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/** Folder within the built pages: assets of earlier builds that open pages and running portals may still request. */
export const formerBuilds = 'former';

/** Bounds of what is served of earlier builds. */
const maxBuilds = 5;
const maxAgeMs = 30 * 24 * 3_600_000;

const filesOf = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])) : [];

/** Moves a finished build from `next` to `current`, file by file, each at once, `index.html` last. Assets that only the former build has go to `former`. */
export function exchangeBuild(next: string, current: string, now = new Date()): void {
  const [assets, former] = [join(current, 'assets'), join(current, formerBuilds, 'assets')];
  for (const folder of [assets, former]) mkdirSync(folder, { recursive: true });
  const added = filesOf(join(next, 'assets'));
  for (const name of added) renameSync(join(next, 'assets', name), join(assets, name));

  const pages = filesOf(next).sort((one, other) => Number(one === 'index.html') - Number(other === 'index.html'));
  for (const name of pages) renameSync(join(next, name), join(current, name));
  for (const name of filesOf(current)) if (!pages.includes(name)) rmSync(join(current, name));

  const own = new Set(added);
  for (const name of filesOf(assets).filter((name) => !own.has(name))) {
    // The time of its build's end, by which it is removed.
    utimesSync(join(assets, name), now, now);
    renameSync(join(assets, name), join(former, name));
  }
  removeOld(former, now);
  rmSync(next, { recursive: true });
}

/** Files that left in one exchange have the same time. */
function removeOld(folder: string, now: Date): void {
  const builds = Map.groupBy(filesOf(folder), (name) => statSync(join(folder, name)).mtimeMs);
  const newest = [...builds.keys()].sort((one, other) => other - one).slice(0, maxBuilds);
  for (const [time, names] of builds)
    if (!newest.includes(time) || now.getTime() - time > maxAgeMs) for (const name of names) rmSync(join(folder, name));
}
