/** Objects of feeds as changes of a list. They are untrusted: what can't be read is counted, with the reason of the newest. */
import type { IntelligenceFeedKind } from '@parapet/contract/intelligenceFeeds.ts';
import { isFields, mispParts, readStixPattern, stixReputation, textOf } from './intelligence.formats.ts';
import { type Indicator, type Reputation, readIndicator, shorten } from './intelligence.values.ts';

export interface FeedChange {
  objectId: string;
  /** Empty to remove what the object named. */
  indicators: Indicator[];
  /** Milliseconds since 1970; absent without an end. */
  validUntil?: number | undefined;
}

export interface ReadObjects {
  changes: FeedChange[];
  skipped: number;
  fault: string | undefined;
}

type Read = FeedChange & { fault?: string; modified?: number };
/** Undefined for an object without an id. */
type ReadObject = (object: Record<string, unknown>, now: number) => Read | 'ignored' | undefined;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Later ends are none. */
const endOfTime = Date.UTC(9000, 0);

function indicatorsOf(parts: ReturnType<typeof mispParts>, reputation: Reputation): { indicators: Indicator[]; fault?: string } {
  const indicators: Indicator[] = [];
  let fault: string | undefined;
  for (const { text, kind } of parts ?? []) {
    const read = readIndicator(text, kind);
    if ('fault' in read) fault = read.fault;
    else indicators.push({ ...read, reputation });
  }
  return { indicators, ...(fault !== undefined && { fault }) };
}

const readStixObject: ReadObject = (object, now) => {
  if (object.type !== 'indicator') return 'ignored';
  const [, ownId = ''] = /^indicator--(.{36})$/.exec(textOf(object.id) ?? '') ?? [];
  if (!uuid.test(ownId)) return undefined;
  const modified = Date.parse(textOf(object.modified) ?? '') || 0;
  const until = Date.parse(textOf(object.valid_until) ?? '');
  const validUntil = until < endOfTime ? until : undefined;
  const base = { objectId: ownId.toLowerCase(), modified, indicators: [] };
  if (object.revoked === true || (validUntil !== undefined && validUntil <= now)) return base;
  const read = readStixPattern(object, now);
  if (typeof read === 'string') return { ...base, fault: `${shorten(textOf(object.name) ?? ownId)}: ${read}` };
  return { ...base, validUntil, ...indicatorsOf(read, stixReputation(object)) };
};

const isSet = (value: unknown) => value === true || value === 1 || value === '1';

const readMispObject: ReadObject = (object) => {
  const objectId = textOf(object.uuid)?.toLowerCase() ?? '';
  if (!uuid.test(objectId)) return undefined;
  const base = { objectId, modified: Number(object.timestamp) || 0, indicators: [] };
  if (isSet(object.deleted) || !isSet(object.to_ids)) return base;
  const [type, value] = [textOf(object.type) ?? '', textOf(object.value) ?? ''];
  const parts = mispParts(type, value);
  if (!parts) return { ...base, fault: `${shorten(value)}: attributes of type ${shorten(type)} are not imported.` };
  return { ...base, ...indicatorsOf(parts, 'Malicious') };
};

/** The newest version of each object counts. */
export function readObjects(kind: IntelligenceFeedKind, objects: readonly unknown[], now: number): ReadObjects {
  const readOne = kind === 'taxii' ? readStixObject : readMispObject;
  const found = new Map<string, Read>();
  let skipped = 0;
  let fault: string | undefined;
  for (const object of objects) {
    const read = isFields(object) ? readOne(object, now) : undefined;
    if (read === 'ignored') continue;
    const reason = read ? read.fault : 'An object has no valid id.';
    if (reason !== undefined) {
      skipped++;
      fault = reason.slice(0, 500);
    }
    if (read && (found.get(read.objectId)?.modified ?? 0) <= (read.modified ?? 0)) found.set(read.objectId, read);
  }
  return { changes: [...found.values()], skipped, fault };
}
