/**
 * Parses the body of an Elasticsearch bulk request: pairs of lines, an action and its document. A malformed line fails
 * alone. Blank lines between pairs, which rsyslog sends, are skipped. An agent sends lines of its host’s files unchanged
 * (`agentLines.ts`).
 */
import { hash } from 'node:crypto';
import { type LinesHeader, lineEnds, lineId, linesHeader } from '@parapet/contract/agentLines.ts';
import type { Arrival } from '../../pipeline/event.ts';
import { maxEventBytes } from '../../pipeline/steps/parse.ts';

export type BulkItem =
  | { kind: 'event'; action: 'create' | 'index'; arrival: Arrival }
  | {
      kind: 'fault';
      action: string;
      index: string;
      documentId: string | undefined;
      reason: 'not-json' | 'unknown-action' | 'too-large';
      text: string;
      raw: string;
    };

const newline = 10;

/** Longer ids are replaced by their hash: truncated, two of them could be equal, and one event would be lost. */
const longestId = 512;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The shared part of a block is stored with each line. */
const longestHeader = 4 * 1024;
const linesStart = '{"lines":';

/**
 * Yields item by item, so that a large body can be processed in slices. `defaultIndex` is the index of the address, if any;
 * `takesLines` is true for an agent.
 */
export function* readBulk(body: Buffer, defaultIndex: string, takesLines = false): Generator<BulkItem, void> {
  let lastActionLine = '';
  let lastAction: Action | undefined;
  let position = body.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;

  const nextLine = (): string | undefined | { tooLong: string } => {
    while (isSpace(body[position])) position++;
    if (position >= body.length) return undefined;
    const from = position;
    let end = body.indexOf(newline, from);
    if (end === -1) end = body.length;
    position = end + 1;
    const to = body[end - 1] === 13 ? end - 1 : end;
    if (to - from > maxEventBytes) return { tooLong: body.toString('utf8', from, from + 64 * 1024) };
    return body.toString('utf8', from, to);
  };

  for (let line = nextLine(); line !== undefined; line = nextLine()) {
    if (typeof line !== 'string') {
      yield fault(
        'create',
        defaultIndex,
        undefined,
        'not-json',
        'This line should be an action such as {"create":{}}.',
        line.tooLong,
      );
      continue;
    }
    if (takesLines && line.startsWith(linesStart)) {
      const header = readHeader(line);
      if (!header || header.bytes > body.length - position) {
        yield fault('create', defaultIndex, undefined, 'not-json', 'These lines are not whole.', line);
        // The start of the next one is unknown.
        return;
      }
      yield* readLines(header, body.subarray(position, position + header.bytes), defaultIndex);
      position += header.bytes;
      continue;
    }
    const action: Action | undefined = line === lastActionLine ? lastAction : readAction(line, defaultIndex);
    lastActionLine = line;
    lastAction = action;
    if (!action) {
      yield fault('create', defaultIndex, undefined, 'not-json', 'This line should be an action such as {"create":{}}.', line);
      continue;
    }
    if (action.name === 'delete') {
      yield fault(
        'delete',
        action.index,
        action.documentId,
        'unknown-action',
        'Events are kept as they were sent: only create and index are accepted.',
        line,
      );
      continue;
    }
    const document = nextLine();
    if (document === undefined) {
      yield fault(action.name, action.index, action.documentId, 'not-json', 'The action has no document after it.', line);
      return;
    }
    if (typeof document !== 'string') {
      const text = `The event is larger than ${maxEventBytes / 1024} KiB. Truncate it before sending.`;
      yield fault(action.name, action.index, action.documentId, 'too-large', text, document.tooLong);
      continue;
    }
    if (action.name === 'update') {
      yield fault(
        'update',
        action.index,
        action.documentId,
        'unknown-action',
        'Events are kept as they were sent: only create and index are accepted.',
        document,
      );
      continue;
    }
    yield {
      kind: 'event',
      action: action.name,
      arrival: { raw: document, index: action.index, documentId: action.documentId },
    };
  }
}

function readHeader(line: string): LinesHeader | undefined {
  if (line.length > longestHeader) return undefined;
  try {
    return linesHeader.parse(JSON.parse(line)).lines;
  } catch {
    return undefined;
  }
}

/** Yields each line as the event that the agent would have built: shared part, position and text. */
function* readLines({ stream, offset, event }: LinesHeader, bytes: Buffer, index: string): Generator<BulkItem, void> {
  const shared = membersOf({ ...event, log: undefined });
  const log = membersOf({ ...event.log, offset: undefined });
  for (const [from, to] of lineEnds(bytes)) {
    const at = offset + from;
    const raw = `{${shared}"log":{${log}"offset":${at}},"message":${JSON.stringify(bytes.toString('utf8', from, to))}}`;
    yield { kind: 'event', action: 'create', arrival: { raw, index, documentId: lineId(stream, at) } };
  }
}

/** As JSON members, to be continued. */
const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1).replace(/.$/, '$&,');

interface Action {
  name: 'create' | 'index' | 'update' | 'delete';
  index: string;
  documentId: string | undefined;
}

function readAction(line: string, defaultIndex: string): Action | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const [entry, ...others] = Object.entries(value);
  if (!entry || others.length > 0) return undefined;
  const [name, meta] = entry;
  if (name !== 'create' && name !== 'index' && name !== 'update' && name !== 'delete') return undefined;
  if (typeof meta !== 'object' || meta === null) return undefined;
  const { _index, _id } = meta as Record<string, unknown>;
  const documentId = typeof _id === 'number' ? String(_id) : _id;
  return {
    name,
    index: typeof _index === 'string' ? _index.slice(0, 255) : defaultIndex,
    documentId: typeof documentId === 'string' && documentId !== '' ? shortened(documentId) : undefined,
  };
}

const shortened = (id: string): string => (id.length <= longestId ? id : hash('sha256', id, 'hex'));

const fault = (
  action: string,
  index: string,
  documentId: string | undefined,
  reason: 'not-json' | 'unknown-action' | 'too-large',
  text: string,
  raw: string,
): BulkItem => ({ kind: 'fault', action, index, documentId, reason, text, raw });

const isSpace = (byte: number | undefined): boolean => byte === newline || byte === 13 || byte === 32 || byte === 9;
