/** Verifies the chain of an organisation’s audit log link by link and reports the first broken one. */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { keyName } from '../../core/keys/signing.ts';
import type { Log } from '../../core/log.ts';
import { type BrokenSeal, findBrokenSeal } from '../../domain/accessSeals.ts';
import { erasureFault } from '../../domain/erasureCertificate.ts';
import { isSigned, leafOf, leafOfSealed, linkHash, noHash, type SignedCheckpoint } from './chain.format.ts';
import { allCheckpoints, auditedOrganisations, type Link, listLinks, saveVerification, unsealedOf } from './chain.store.ts';

/** Name of the shared secret that seeds the signing key. */
export const checkpointSecret = 'audit checkpoints';

/** Retention of the audit log in days. */
export const retentionDays = 400;
const pageSize = 5_000;
/** Longer than any transaction, in milliseconds: an entry this much older than those sealed before it was backdated. */
const backdatedMs = hourMs;

export interface BrokenLink {
  position: number;
  /** Id of the entry; undefined when the link is missing. */
  entryId?: number | undefined;
  kind: 'edited' | 'removed' | 'reordered' | 'inserted' | 'forked' | 'truncated' | 'checkpoint';
  text: string;
}

export interface Verified {
  organisationId: number;
  /** Number of verified entries. */
  entries: number;
  lastPosition: number;
  lastCheckpoint: SignedCheckpoint | undefined;
  checkpoints: number;
  /** Fingerprints of keys other than the installation’s. */
  formerKeys: string[];
  unsealed: number;
  /** Entries whose content was erased with their organisation. */
  erased: number;
  broken?: BrokenLink;
}

export interface Verifying {
  organisationId: number;
  /** Public key of the installation. */
  publicKey: string;
  /** Checkpoints from outside the database. */
  outside?: readonly SignedCheckpoint[];
  now: number;
}

/** Verifies a log in its own repeatable-read transaction. */
export const verifyLog = (db: Database, options: Verifying): Promise<Verified> =>
  readScoped(db, 'system', (tx) => verifyChain(tx, options), { isolation: 'repeatable read', statementTimeoutMs: 0 });

/**
 * Verifies every log and stores the results for the audit page; logs an error for each broken one. Throws at the end where one could not be verified,
 * whose former result stays.
 */
export async function verifyAll({
  db,
  publicKey,
  log,
  clock,
}: {
  db: Database;
  publicKey: string;
  log: Log;
  clock: Clock;
}): Promise<void> {
  const failures: unknown[] = [];
  for (const { id: organisationId } of await readScoped(db, 'system', auditedOrganisations)) {
    try {
      const { broken, lastPosition: position } = await verifyLog(db, { organisationId, publicKey, now: clock.now() });
      if (broken) log.error({ organisationId, broken }, 'audit log verification failed: run npm run verify-audit');
      await scoped(db, 'system', (tx) => saveVerification(tx, { organisationId, position, broken, at: new Date(clock.now()) }));
    } catch (error) {
      log.error({ organisationId, err: error }, 'audit log could not be verified');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} audit logs could not be verified`);
}

/** Verifies a chain; `tx` must be a repeatable read. */
export async function verifyChain(tx: Tx, { organisationId, publicKey, outside = [], now }: Verifying): Promise<Verified> {
  const stored = await allCheckpoints(tx, 'system', organisationId);
  const checkpoints = [...stored, ...outside].sort((a, b) => a.position - b.position);
  const newest = stored.at(-1);
  const state: Verified = {
    organisationId,
    entries: 0,
    lastPosition: 0,
    lastCheckpoint: newest,
    checkpoints: checkpoints.length,
    formerKeys: [...new Set(checkpoints.map((each) => each.publicKey))].filter((each) => each !== publicKey).map(keyName),
    unsealed: 0,
    erased: 0,
  };
  const broken = await walk(tx, state, checkpoints, now);
  if (broken) return { ...state, broken };
  const fault = state.erased > 0 ? await erasureFault(tx, organisationId, state.erased) : undefined;
  if (fault) return { ...state, broken: { position: state.lastPosition, kind: 'edited', text: fault } };
  const look = await findBrokenSeal(tx, organisationId, now);
  if (look) return { ...state, broken: brokenSeal(state.lastPosition, look) };
  const unsigned = unsignedEnd(state, newest, publicKey);
  if (unsigned) return { ...state, broken: unsigned };
  const { count, oldest, oldestId } = await unsealedOf(tx, organisationId);
  state.unsealed = count;
  if (oldest && oldestId !== null && newest && oldest < earlier(newest.through))
    return { ...state, broken: inserted(state.lastPosition + 1, oldestId, newest) };
  return state;
}

function brokenSeal(position: number, { id, kind }: BrokenSeal): BrokenLink {
  if (kind === 'malformed')
    return { position, entryId: id, kind: 'edited', text: `entry ${id} is no well-formed seal of the access log` };
  return {
    position,
    kind,
    text: `entry ${id} of the access log was ${kind === 'edited' ? 'changed' : 'removed'} after it was sealed`,
  };
}

const earlier = (time: string) => new Date(Date.parse(time) - backdatedMs).toISOString();

const inserted = (position: number, entryId: number, before: SignedCheckpoint): BrokenLink => ({
  position,
  entryId,
  kind: 'inserted',
  text: `the entry claims a time before what was sealed by the checkpoint at position ${before.position}`,
});

/** Checks the beginning: only entries beyond the retention, up to a checkpoint, may be missing. */
function startOf(
  first: Link | undefined,
  checkpoints: readonly SignedCheckpoint[],
  now: number,
): SignedCheckpoint | BrokenLink | undefined {
  const position = first ? first.position - 1 : (checkpoints.at(-1)?.position ?? 0);
  if (position === 0) return undefined;
  const start = checkpoints.find((each) => each.position === position);
  if (!start) return { position, kind: 'removed', text: `the log begins after position ${position}, which no checkpoint covers` };
  if (!isSigned(start)) return badSignature(start);
  if (Date.parse(start.through) > now - retentionDays * dayMs)
    return {
      position,
      kind: 'removed',
      text: `entries up to position ${position} are gone, and the newest is younger than ${retentionDays} days`,
    };
  return start;
}

const badSignature = ({ position, at }: SignedCheckpoint): BrokenLink => ({
  position,
  kind: 'checkpoint',
  text: `the signature of the checkpoint of ${at} is not valid`,
});

async function walk(
  tx: Tx,
  state: Verified,
  checkpoints: readonly SignedCheckpoint[],
  now: number,
): Promise<BrokenLink | undefined> {
  const { organisationId } = state;
  let page = await listLinks(tx, 'system', organisationId, { above: 0, limit: pageSize });
  const start = startOf(page[0], checkpoints, now);
  if (start && 'kind' in start) return start;
  const position = start?.position ?? 0;
  const ahead = checkpoints.filter((each) => each.position > position).values();
  const place: Place = {
    organisationId,
    position,
    previous: start?.hash ?? noHash,
    beforePrevious: '',
    vouched: start,
    ahead,
    next: ahead.next().value,
  };
  while (page.length > 0) {
    for (const [index, link] of page.entries()) {
      place.position += 1;
      const broken = brokenAt(place, page, index) ?? passCheckpoints(place, link);
      if (broken) return broken;
      place.beforePrevious = place.previous;
      place.previous = link.hash;
      state.entries += 1;
      state.erased += link.erasedLeaf === null ? 0 : 1;
    }
    state.lastPosition = place.position;
    const above = place.position;
    page = page.length < pageSize ? [] : await listLinks(tx, 'system', organisationId, { above, limit: pageSize });
  }
  state.lastPosition = place.position;
  const beyond = place.next;
  if (!beyond) return undefined;
  if (!isSigned(beyond)) return badSignature(beyond);
  return {
    position: place.position + 1,
    kind: 'truncated',
    text: `the end is missing: a checkpoint of ${beyond.at} covers position ${beyond.position}`,
  };
}

/** Place of the verification in a chain. */
interface Place {
  organisationId: number;
  position: number;
  previous: string;
  beforePrevious: string;
  vouched: SignedCheckpoint | undefined;
  /** Next checkpoint at this position or beyond, and those after it. */
  next: SignedCheckpoint | undefined;
  ahead: Iterator<SignedCheckpoint, undefined>;
}

/** Checks a link against the checkpoints of its position, which then vouch for what follows. */
function passCheckpoints(place: Place, link: Link): BrokenLink | undefined {
  for (let checkpoint = place.next; checkpoint?.position === place.position; checkpoint = place.next) {
    if (!isSigned(checkpoint)) return badSignature(checkpoint);
    if (checkpoint.hash !== link.hash) return forked(link, checkpoint, place.vouched);
    place.vouched = checkpoint;
    place.next = place.ahead.next().value;
  }
  return undefined;
}

function brokenAt(place: Place, page: readonly Link[], index: number): BrokenLink | undefined {
  const { organisationId, position, previous, vouched } = place;
  const link = page[index] as Link;
  if (link.position !== position) return { position, kind: 'removed', text: 'the link is missing' };
  const { entry, auditId: entryId } = link;
  if (!entry) return { position, entryId, kind: 'removed', text: 'the entry is missing' };
  const leaf = leafOfSealed(entry, link);
  if (leaf === undefined) return { position, entryId, kind: 'edited', text: 'the entry has content, but is marked as erased' };
  const hash = linkHash({ leaf, organisationId, position, previous });
  if (hash !== link.hash) return changed(place, page, index, hash);
  if (entry.action === 'audit.sealBroken')
    return {
      position,
      entryId,
      kind: 'forked',
      text: 'the log had been changed when the portal sealed this entry, which has the details',
    };
  if (vouched && entry.at < earlierThan(vouched)) return inserted(position, entryId, vouched);
  return undefined;
}

let remembered: { of: SignedCheckpoint; time: string } | undefined;
function earlierThan(checkpoint: SignedCheckpoint): string {
  if (remembered?.of !== checkpoint) remembered = { of: checkpoint, time: earlier(checkpoint.through) };
  return remembered.time;
}

/** Classifies a link with a wrong hash. */
function changed(
  { organisationId, position, previous, beforePrevious }: Place,
  page: readonly Link[],
  index: number,
  hash: string,
): BrokenLink {
  const link = page[index] as Link;
  const named = { position, entryId: link.auditId };
  const hashOf = ({ entry }: Link, { salt }: Link, at: { position: number; previous: string }) =>
    entry && linkHash({ leaf: leafOf(entry, salt), organisationId, ...at });
  if (hashOf(link, link, { position: position - 1, previous: beforePrevious }) === link.hash)
    return {
      position: position - 1,
      entryId: page[index - 1]?.auditId,
      kind: 'inserted',
      text: `the link was inserted between others: entry ${link.auditId} was sealed at its position`,
    };
  const here = { position, previous };
  const other = page.find(
    (each) =>
      each !== link &&
      ([link, each].some((salted) => hashOf(each, salted, here) === link.hash) || hashOf(each, each, here) === each.hash),
  );
  if (other) return { ...named, kind: 'reordered', text: `entry ${other.auditId} was sealed at this position` };
  const following = page[index + 1];
  if (following && hashOf(following, following, { position: position + 1, previous: hash }) === following.hash)
    return { ...named, kind: 'edited', text: 'the entry is unchanged, but the hash of its link was changed' };
  return { ...named, kind: 'edited', text: 'the entry differs from what was sealed' };
}

const forked = (link: Link, checkpoint: SignedCheckpoint, vouched: SignedCheckpoint | undefined): BrokenLink => ({
  position: link.position,
  entryId: link.auditId,
  kind: 'forked',
  text: `the checkpoint of ${checkpoint.at} covers another log: it was rewritten after position ${vouched?.position ?? 0}`,
});

/** Checks that the end is signed with the installation’s key. */
function unsignedEnd(
  { lastPosition }: Verified,
  newest: SignedCheckpoint | undefined,
  publicKey: string,
): BrokenLink | undefined {
  if (lastPosition === 0 && !newest) return undefined;
  const position = newest?.position ?? 0;
  if (position < lastPosition)
    return { position: position + 1, kind: 'checkpoint', text: 'no checkpoint covers the links from here on' };
  if (newest?.publicKey !== publicKey)
    return {
      position,
      kind: 'checkpoint',
      text: 'the newest checkpoint is not signed by the key of this installation. After a change of SECRET_KEY, let the portal seal an entry first',
    };
  return undefined;
}
