/** Packs: requests, reviews and take-overs. They are the provider’s. */
import { randomUUID } from 'node:crypto';
import { providerId } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { criticalityOf, severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type PackImport, packItemStatuses, type RulePack, type rulePacksApi } from '@parapet/contract/rulePacks.ts';
import type { z } from 'zod';
import { publish } from '../../core/bus.ts';
import { storable } from '../../core/db/like.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { keyName } from '../../core/keys/signing.ts';
import { recordAudit } from '../../domain/audit.ts';
import * as changes from './packs.changes.ts';
import { decide, getItem } from './packs.decisions.ts';
import { type Body, ownScope, type PacksDeps } from './packs.deps.ts';
import * as store from './packs.store.ts';

export type PacksService = ReturnType<typeof createPacksService>;
/** Imports that wait, run or are ready. */
const maxOpen = 5;
const shortOf = (key: string | null): string | null => key && keyName(key);

export function createPacksService(deps: PacksDeps) {
  const { db, clock, blobs } = deps;

  const request = async (
    actor: Actor,
    of: { name: string; origin: 'archive' | 'git'; address: string; branch: string; folder: string; version: string },
    bytes?: Buffer,
  ): Promise<{ id: number }> => {
    const scope = ownScope(actor);
    const open = await readScoped(db, scope, (tx) => store.listImports(tx, scope, new Date(clock.now())));
    if (open.filter(({ state }) => state !== 'failed').length >= maxOpen)
      throw problem.tooManyRequests(`${maxOpen} imports are open. Accept or discard one first.`, 30);
    const archive = bytes ? `rule-packs/${randomUUID()}` : null;
    if (archive && bytes) await blobs.put(archive, bytes, 'application/octet-stream');
    return scoped(db, scope, async (tx) => {
      const named = { ...of, name: storable(of.name), version: storable(of.version), folder: storable(of.folder) };
      const by = { organisationId: providerId, userId: actor.userId, requester: actor.displayName };
      const id = await store.insertImport(tx, { ...named, ...by, archive });
      const { name, origin, address, version } = named;
      const after = { name, origin, address, version };
      await recordAudit(tx, actor, { action: 'rulePack.requested', organisationId: providerId, target: String(id), after });
      await publish(tx, 'rulePacks.queued', {});
      return { id };
    });
  };

  return {
    async list(actor: Actor): Promise<AnswerOf<typeof rulePacksApi.list>> {
      const scope = ownScope(actor);
      const key = await deps.signingKey();
      return readScoped(db, scope, async (tx) => {
        const packs = await store.listPacks(tx, scope);
        const imports = await store.listImports(tx, scope, new Date(clock.now()));
        const results = [builtInPack(deps), ...packs.map(packOf)];
        const rows = await Promise.all(imports.map((row) => importOf(tx, scope, row)));
        return { results, total: results.length, imports: rows, signer: keyName(key.publicKey) };
      });
    },

    upload: (actor: Actor, { name, version, folder }: z.output<typeof rulePacksApi.upload.query>, bytes: Buffer) =>
      request(actor, { name, origin: 'archive', address: '', branch: '', folder, version }, bytes),

    fetch: (actor: Actor, { name, address, branch, folder }: Body<'fetch'>) => {
      const { protocol, username, password } = new URL(address);
      if (!/^https?:$/.test(protocol)) throw problem.invalid({ address: ['Enter an address that begins with https://.'] });
      if (username || password) throw problem.invalid({ address: ['Enter the address without a user name or password.'] });
      return request(actor, { name, origin: 'git', address, branch, folder, version: '' });
    },

    async getImport(
      actor: Actor,
      id: number,
      { page, pageSize, status, severity, search }: z.output<typeof rulePacksApi.getImport.query>,
    ): Promise<AnswerOf<typeof rulePacksApi.getImport>> {
      const scope = ownScope(actor);
      return readScoped(db, scope, async (tx) => {
        const row = await store.findImport(tx, scope, id);
        if (!row) throw problem.notFound('import', id);
        const criticalities = severity.map((each) => criticalityOf[each]);
        const items = await store.listItems(tx, scope, id, { page, pageSize, status, criticalities, search });
        const results = items.rows.map(({ key, criticality, ...item }) => ({
          ...item,
          ruleID: key,
          criticality: criticality === null ? null : severityOf(criticality),
        }));
        return { results, total: items.total, packImport: await importOf(tx, scope, row) };
      });
    },

    getItem: (actor: Actor, id: number, key: string) => getItem(deps, actor, id, key),
    decide: (actor: Actor, of: { id: number; key: string }, body: Body<'decide'>) => decide(deps, actor, of, body),
    accept: (actor: Actor, id: number, body: Body<'accept'>) => changes.accept(deps, actor, id, body),
    changeState: (actor: Actor, id: number, body: Body<'changeState'>) => changes.changeState(deps, actor, id, body),
    download: (actor: Actor, pack: string) => changes.download(deps, actor, pack),

    async discard(actor: Actor, id: number): Promise<Record<never, never>> {
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => {
        const row = await store.findImport(tx, scope, id, true);
        if (!row) throw problem.notFound('import', id);
        if (row.state === 'accepted') throw problem.conflict('The import was accepted already.');
        if (row.state === 'discarded') return {};
        await store.discardImport(tx, scope, id);
        if (row.archive) await blobs.remove(row.archive);
        const after = { name: row.name };
        await recordAudit(tx, actor, { action: 'rulePack.discarded', organisationId: providerId, target: String(id), after });
        return {};
      });
    },
  };
}

const noStates = { draft: 0, tested: 0, shadow: 0, live: 0, retired: 0 };

function packOf({ changedAt, signer, states, ...pack }: store.PackRow): RulePack {
  return { ...pack, signer: shortOf(signer), states: { ...noStates, ...states }, changedTime: changedAt.toISOString() };
}

function builtInPack({ detector }: PacksDeps): RulePack {
  const rules = detector.builtIn.rules.length + detector.builtIn.correlations.length;
  return {
    id: null,
    name: 'Built-in rules',
    origin: 'builtIn',
    address: '',
    branch: '',
    folder: '',
    version: '',
    publisher: '',
    licence: '',
    signer: null,
    rules,
    states: { ...noStates, live: rules },
    changedTime: null,
  };
}

async function importOf(tx: Tx, scope: Scope, row: store.ImportRow): Promise<PackImport> {
  const counts = await store.countItems(tx, scope, row.id);
  const { id, packId, name, state, version, signer, failure, requestedBy, requestedAt, read, files } = row;
  return {
    ...{ id, packID: packId, name, state, version, signer: shortOf(signer), failure, requestedBy, read, files },
    isFirstOfSigner: signer !== null && !(await store.isKnownSigner(tx, scope, signer)),
    requestedTime: requestedAt.toISOString(),
    counts: Object.fromEntries(packItemStatuses.map((status) => [status, counts.get(status) ?? 0])),
  } as PackImport;
}
