/**
 * The body of an Elasticsearch bulk request: pairs of lines, an action and its document. A malformed line fails alone. Blank lines between
 * pairs are passed over, as rsyslog sends them.
 */
import { hash } from 'node:crypto';
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

/** Longer ids stand for themselves by their hash: cut, two of them could look alike, and one event would be lost. */
const longestId = 512;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Item by item, so that a large body can be taken in turns. `defaultIndex` is the index of the address, where it names one. */
export function* readBulk(body: Buffer, defaultIndex: string): Generator<BulkItem, void> {
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
        'Events are kept as they were sent: only create and index are taken.',
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
      const text = `The event is larger than ${maxEventBytes / 1024} KiB. Cut it before sending.`;
      yield fault(action.name, action.index, action.documentId, 'too-large', text, document.tooLong);
      continue;
    }
    if (action.name === 'update') {
      yield fault(
        'update',
        action.index,
        action.documentId,
        'unknown-action',
        'Events are kept as they were sent: only create and index are taken.',
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
