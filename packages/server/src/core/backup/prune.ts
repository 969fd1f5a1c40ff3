/** Removal of base backups past their number and age, with the log and the files that only they need. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { readManifest } from './archive.ts';
import {
  baseOf,
  chainOf,
  isManifest,
  type ListedFile,
  type Manifest,
  parseLsn,
  parseWal,
  segmentName,
  timeOfBase,
  timeOfList,
} from './names.ts';
import { type BackupStore, OtherKeyError } from './objects.ts';

const isList = (name: string): boolean => name.includes('/lists/');

export interface Keep {
  /** Newest base backups that stay whatever their age. */
  number: number;
  days: number;
}

/** Returns the number of removed objects. `current`: chain that is being written. */
export async function prune(store: BackupStore, keep: Keep, current: string, now: number): Promise<number> {
  const names = await store.list('');
  const plan = await planOf(store, names, keep, now);
  const chained = names.filter((name) => !name.startsWith('files/'));
  const removed = chained.filter((name, at) => !isNeeded(plan, name, chained[at + 1], current, now));
  // Manifests first, so that no base backup looks complete that is not.
  for (const name of removed.sort((one, other) => Number(isManifest(other)) - Number(isManifest(one)))) await store.remove(name);

  const orphans = plan.foreign.size > 0 ? [] : await orphansOf(store, names, new Set(removed));
  for (const name of orphans) await store.remove(name);
  return removed.length + orphans.length;
}

interface Plan {
  /** Complete base backups, and those among them that stay. */
  complete: Set<string>;
  retained: Set<string>;
  /** Oldest base backup that stays, by chain. */
  oldest: Map<string, Manifest>;
  /** Chains that stay as a whole: what they need is unreadable, under another key or at this moment. */
  foreign: Set<string>;
}

async function planOf(store: BackupStore, names: readonly string[], keep: Keep, now: number): Promise<Plan> {
  const plan: Plan = { complete: new Set(), retained: new Set(), oldest: new Map(), foreign: new Set() };
  const bases: Manifest[] = [];
  const nameOfBase = new Map<Manifest, string>();
  for (const name of names.filter(isManifest)) {
    const manifest = await readManifest(store, name).catch((error: unknown) => {
      // A manifest that the storage refused may be readable later.
      const isOver = error instanceof OtherKeyError && timeOfBase(baseOf(name)) < now - keep.days * dayMs;
      if (!isOver) plan.foreign.add(chainOf(name));
      return undefined;
    });
    plan.complete.add(baseOf(name));
    if (!manifest) continue;
    bases.push(manifest);
    nameOfBase.set(manifest, baseOf(name));
  }
  bases.sort((one, other) => Date.parse(other.endedAt) - Date.parse(one.endedAt));
  for (const [at, manifest] of bases.entries()) {
    if (at >= keep.number && Date.parse(manifest.endedAt) < now - keep.days * dayMs) continue;
    plan.retained.add(nameOfBase.get(manifest) as string);
    plan.oldest.set(manifest.chain, manifest);
  }
  return plan;
}

function isNeeded(plan: Plan, name: string, next: string | undefined, current: string, now: number): boolean {
  const chain = chainOf(name);
  if (plan.foreign.has(chain)) return true;
  if (name.startsWith(`${chain}/bases/`)) {
    const base = baseOf(name);
    // One that is being written has no manifest yet.
    return plan.retained.has(base) || (!plan.complete.has(base) && timeOfBase(base) > now - dayMs);
  }
  const first = plan.oldest.get(chain);
  if (!first) return chain === current;
  if (!isList(name)) {
    const piece = parseWal(name);
    return !piece || piece.segment >= segmentName(first.timeline, parseLsn(first.startLsn));
  }
  // The last list before the oldest base backup is the one that it begins with.
  const isFollowed = next !== undefined && isList(next) && chainOf(next) === chain;
  return !isFollowed || timeOfList(next) > Date.parse(first.startedAt);
}

async function orphansOf(store: BackupStore, names: readonly string[], removed: ReadonlySet<string>): Promise<string[]> {
  const referenced = new Set<string>();
  for (const name of names.filter((each) => isList(each) && !removed.has(each)))
    for (const { object } of await readList(store, name)) referenced.add(object);
  return names.filter((name) => name.startsWith('files/') && !referenced.has(name));
}

export const readList = async (store: BackupStore, name: string): Promise<ListedFile[]> =>
  JSON.parse((await store.get(name)).toString()) as ListedFile[];
