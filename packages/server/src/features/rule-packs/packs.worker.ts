/** Reads imports in the worker role: unpacks or fetches the rules, verifies the signature, and compares them with what is here. */
import type { Blobs } from '../../core/blobs.ts';
import { type Bus, onEach } from '../../core/bus.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { keyName } from '../../core/keys/signing.ts';
import type { Log } from '../../core/log.ts';
import type { Outbound } from '../../core/outbound.ts';
import { analyse } from './packs.analysis.ts';
import { archiveOf, readArchive } from './packs.archive.ts';
import type { PacksDeps } from './packs.deps.ts';
import { type Archive, ArchiveError } from './packs.files.ts';
import { readManifest } from './packs.manifest.ts';
import {
  failImport,
  findPack,
  finishImport,
  type ImportRow,
  listNewest,
  listTaken,
  saveProgress,
  takeImport,
} from './packs.store.ts';

export type ImportDeps = PacksDeps & { blobs: Blobs; outbound: Pick<Outbound, 'fetch'>; log: Log };

const longMs = 60_000;
const progressMs = 500;

/** Reads all waiting imports. */
export async function runImports(deps: ImportDeps, isClosed: () => boolean = () => false): Promise<void> {
  while (!isClosed()) {
    const { row, abandoned } = await scoped(deps.db, 'system', takeImport);
    for (const archive of abandoned) await deps.blobs.remove(archive);
    if (!row) return;
    try {
      await read(deps, row);
    } catch (error) {
      if (!(error instanceof ArchiveError)) deps.log.error({ err: error, import: row.id }, 'an import of rules failed');
      const failure = error instanceof ArchiveError ? error.message : 'The import could not be completed. Try again.';
      await scoped(deps.db, 'system', (tx) => failImport(tx, row.id, failure));
    }
    if (row.archive) await deps.blobs.remove(row.archive);
  }
}

export function startImportWorker(bus: Pick<Bus, 'on'>, deps: ImportDeps): () => Promise<void> {
  let isClosed = false;
  let running: Promise<void> = Promise.resolve();
  const run = () => {
    running = running
      .then(() => runImports(deps, () => isClosed))
      .catch((error) => deps.log.error({ err: error }, 'imports of rules could not be read'));
  };
  const off = onEach(bus, 'rulePacks.queued', run);
  run();
  return async () => {
    isClosed = true;
    off();
    await running;
  };
}

async function open({ blobs, outbound }: ImportDeps, row: ImportRow): Promise<{ archive: Archive; version: string }> {
  if (row.origin === 'git') {
    const { readRepository } = await import('./packs.git.ts');
    const { files, commit } = await readRepository(outbound, row);
    return { archive: archiveOf(files, row.folder), version: commit.slice(0, 12) };
  }
  const bytes = row.archive === null ? undefined : await blobs.get(row.archive);
  if (!bytes) throw new ArchiveError('The uploaded file is gone. Upload it again.');
  return { archive: await readArchive(bytes, row.folder), version: row.version };
}

async function read(deps: ImportDeps, row: ImportRow): Promise<void> {
  const { db, detector } = deps;
  const { archive, version } = await open(deps, row);
  const manifest = readManifest(archive, row.folder);
  const { taken, versions, pack } = await readScoped(
    db,
    'system',
    async (tx) => {
      const own = { organisationIds: [row.organisationId] };
      return {
        pack: await findPack(tx, own, { name: row.name }),
        taken: await listTaken(tx, own, row.packId),
        versions: await listNewest(tx),
      };
    },
    { statementTimeoutMs: longMs },
  );
  if (pack?.signer && manifest?.publicKey !== pack.signer)
    throw new ArchiveError(
      manifest
        ? `The pack is signed with the key ${keyName(manifest.publicKey)}; it was accepted with ${keyName(pack.signer)}.`
        : 'The pack was signed when it was accepted; this archive isn’t.',
    );
  const files = archive.rules.length;
  let savedAt = 0;
  const onRead = async (count: number) => {
    if (performance.now() - savedAt < progressMs) return;
    savedAt = performance.now();
    await scoped(db, 'system', (tx) => saveProgress(tx, row.id, count, files));
  };
  await onRead(0);
  const here = {
    set: detector.current(),
    builtIn: new Set(detector.builtIn.texts.keys()),
    taken,
    versions,
    owner: row.organisationId,
  };
  const items = await analyse(archive.rules, here, onRead);
  const licences = [...new Set(items.map(({ licence }) => licence).filter(Boolean))];
  await scoped(
    db,
    'system',
    (tx) =>
      finishImport(tx, row, {
        items,
        version: manifest?.version || version,
        publisher: manifest?.publisher ?? '',
        licence: licences.slice(0, 5).join(', ').slice(0, 500),
        signer: manifest?.publicKey ?? null,
      }),
    { statementTimeoutMs: longMs },
  );
}
