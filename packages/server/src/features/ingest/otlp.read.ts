/**
 * Reads OTLP log requests, protobuf or JSON, into plain records. The envelope is read first, so that a broken request is
 * refused before anything is stored; each record is decoded when its turn comes. Field numbers are those of
 * opentelemetry/proto/logs/v1/logs.proto, common.proto and resource.proto.
 */
import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import type { Document } from '../../pipeline/event.ts';
import { greatestDepth } from '../../pipeline/normalise/limits.ts';
import { isObject } from './payload.ts';

/** Values of attributes and bodies: texts, numbers, booleans, lists and objects; bytes are base64. */
export interface LogRecord {
  /** Nanoseconds since 1970; 0 without a time. */
  timeNs: bigint;
  severityNumber: number;
  severityText: string;
  body: unknown;
  attributes: Document;
  /** In hex; empty without one. */
  traceId: string;
  spanId: string;
  eventName: string;
}

/** A record that is not decoded yet. */
export interface PendingRecord {
  resource: Document;
  /** Name of the instrumentation scope. */
  scope: string;
  /** Throws for a record that is broken or nested too deep. */
  decode(): LogRecord;
  /** The record as it came: JSON, or protobuf in base64. */
  raw(): string;
  length: number;
}

/** A request or record that is no OTLP. */
export class OtlpError extends Error {
  readonly statusCode = 400;
}

const empty = (): LogRecord => ({
  timeNs: 0n,
  severityNumber: 0,
  severityText: '',
  body: undefined,
  attributes: {},
  traceId: '',
  spanId: '',
  eventName: '',
});

type Field = (reader: BinaryReader) => void;

/** Reads a message; fields without a reader are skipped, as are those of another wire type than `wires` of theirs. */
function readMessage(bytes: Uint8Array, fields: Readonly<Record<number, readonly [wire: WireType, read: Field]>>): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    const field = fields[number];
    if (field === undefined) reader.skip(wire, number);
    else if (field[0] === wire) field[1](reader);
    else throw new OtlpError(`Field ${number} has another type.`);
  }
}

const varint = 0 satisfies WireType;
const bit64 = 1 satisfies WireType;
const delimited = 2 satisfies WireType;

/** @throws for bytes that are no such request */
export function recordsOfProtobuf(body: Uint8Array): PendingRecord[] {
  const records: PendingRecord[] = [];
  const readResourceLogs = (bytes: Uint8Array) => {
    let resource: Document = {};
    const scopes: Uint8Array[] = [];
    readMessage(bytes, {
      1: [
        delimited,
        (reader) => {
          resource = attributesOf(reader.bytes());
        },
      ],
      2: [delimited, (reader) => scopes.push(reader.bytes())],
    });
    for (const each of scopes) {
      let scope = '';
      const own: Uint8Array[] = [];
      readMessage(each, {
        1: [
          delimited,
          (reader) =>
            readMessage(reader.bytes(), {
              1: [
                delimited,
                (inner) => {
                  scope = inner.string();
                },
              ],
            }),
        ],
        2: [delimited, (reader) => own.push(reader.bytes())],
      });
      for (const record of own) records.push(pending(record, resource, scope));
    }
  };
  try {
    readMessage(body, { 1: [delimited, (reader) => readResourceLogs(reader.bytes())] });
  } catch (error) {
    throw new OtlpError(`The body is no protobuf of ExportLogsServiceRequest: ${(error as Error).message}`);
  }
  return records;
}

const pending = (bytes: Uint8Array, resource: Document, scope: string): PendingRecord => ({
  resource,
  scope,
  decode: () => decodeRecord(bytes),
  raw: () => Buffer.from(bytes).toString('base64'),
  length: bytes.length,
});

function decodeRecord(bytes: Uint8Array): LogRecord {
  const record = empty();
  const attributes: [string, unknown][] = [];
  let observedNs = 0n;
  const text = (set: (value: string) => void) => [delimited, (reader: BinaryReader) => set(reader.string())] as const;
  const hex = (set: (value: string) => void) =>
    [delimited, (reader: BinaryReader) => set(Buffer.from(reader.bytes()).toString('hex'))] as const;
  const time = (set: (value: bigint) => void) => [bit64, (reader: BinaryReader) => set(BigInt(reader.fixed64()))] as const;
  readMessage(bytes, {
    1: time((value) => {
      record.timeNs = value;
    }),
    2: [
      varint,
      (reader) => {
        record.severityNumber = reader.int32();
      },
    ],
    3: text((value) => {
      record.severityText = value;
    }),
    5: [
      delimited,
      (reader) => {
        record.body = anyValue(reader.bytes(), 1);
      },
    ],
    6: [delimited, (reader) => attributes.push(keyValue(reader.bytes(), 1))],
    9: hex((value) => {
      record.traceId = value;
    }),
    10: hex((value) => {
      record.spanId = value;
    }),
    11: time((value) => {
      observedNs = value;
    }),
    12: text((value) => {
      record.eventName = value;
    }),
  });
  record.timeNs ||= observedNs;
  record.attributes = Object.fromEntries(attributes);
  return record;
}

/** Attributes of a resource, or the entries of a KeyValueList: both are field 1. */
function attributesOf(bytes: Uint8Array, depth = 1): Document {
  const entries: [string, unknown][] = [];
  readMessage(bytes, { 1: [delimited, (reader) => entries.push(keyValue(reader.bytes(), depth))] });
  // Makes `__proto__` an own property.
  return Object.fromEntries(entries);
}

function keyValue(bytes: Uint8Array, depth: number): [string, unknown] {
  let key = '';
  let value: unknown = null;
  readMessage(bytes, {
    1: [
      delimited,
      (reader) => {
        key = reader.string();
      },
    ],
    2: [
      delimited,
      (reader) => {
        value = anyValue(reader.bytes(), depth);
      },
    ],
  });
  return [key, value];
}

function anyValue(bytes: Uint8Array, depth: number): unknown {
  if (depth > greatestDepth) throw new OtlpError('too-deep');
  let value: unknown = null;
  const as = (wire: WireType, read: (reader: BinaryReader) => unknown) =>
    [
      wire,
      (reader: BinaryReader) => {
        value = read(reader);
      },
    ] as const;
  readMessage(bytes, {
    1: as(delimited, (reader) => reader.string()),
    2: as(varint, (reader) => reader.bool()),
    3: as(varint, (reader) => integer(reader.int64())),
    4: as(bit64, (reader) => finite(reader.double())),
    5: as(delimited, (reader) => {
      const values: unknown[] = [];
      readMessage(reader.bytes(), { 1: [delimited, (inner) => values.push(anyValue(inner.bytes(), depth + 1))] });
      return values;
    }),
    6: as(delimited, (reader) => attributesOf(reader.bytes(), depth + 1)),
    7: as(delimited, (reader) => Buffer.from(reader.bytes()).toString('base64')),
  });
  return value;
}

/** @throws for text that is no such request */
export function recordsOfJson(text: string): PendingRecord[] {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch (error) {
    throw new OtlpError(`The body is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  if (!isObject(request)) throw new OtlpError('The body is no JSON object.');
  const records: PendingRecord[] = [];
  for (const resourceLogs of objects(request, 'resourceLogs')) {
    const { resource } = resourceLogs;
    const attributes = isObject(resource) ? jsonAttributes(resource.attributes, 1) : {};
    for (const scopeLogs of objects(resourceLogs, 'scopeLogs')) {
      const scope = isObject(scopeLogs.scope) ? textOf(scopeLogs.scope.name) : '';
      for (const record of objects(scopeLogs, 'logRecords')) {
        const raw = stringOf(record);
        records.push({ resource: attributes, scope, decode: () => jsonRecord(record), raw: () => raw, length: raw.length });
      }
    }
  }
  return records;
}

function objects(place: Document, name: string): Document[] {
  const list = place[name] ?? [];
  if (!Array.isArray(list) || !list.every(isObject)) throw new OtlpError(`${name} is no list of objects.`);
  return list;
}

/** Nesting exhausts the stack of JSON.stringify before any other limit. */
function stringOf(record: Document): string {
  try {
    return JSON.stringify(record);
  } catch {
    return '[a record nested too deep]';
  }
}

function jsonRecord(record: Document): LogRecord {
  const timeNs = nanoseconds(record.timeUnixNano) || nanoseconds(record.observedTimeUnixNano);
  return {
    timeNs,
    severityNumber: typeof record.severityNumber === 'number' ? record.severityNumber : 0,
    severityText: textOf(record.severityText),
    body: record.body === undefined || record.body === null ? undefined : jsonValue(record.body, 1),
    attributes: jsonAttributes(record.attributes, 1),
    traceId: textOf(record.traceId),
    spanId: textOf(record.spanId),
    eventName: textOf(record.eventName),
  };
}

function nanoseconds(value: unknown): bigint {
  if (value === undefined || value === null) return 0n;
  if (/^\d{1,20}$/.test(String(value))) return BigInt(value as string);
  throw new OtlpError('A time is no number of nanoseconds.');
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new OtlpError('A text is of another type.');
  return value;
}

function jsonAttributes(list: unknown, depth: number): Document {
  if (list === undefined || list === null) return {};
  if (!Array.isArray(list) || !list.every(isObject)) throw new OtlpError('attributes is no list of objects.');
  return Object.fromEntries(list.map(({ key, value }) => [textOf(key), value === undefined ? null : jsonValue(value, depth)]));
}

function jsonValue(value: unknown, depth: number): unknown {
  if (depth > greatestDepth) throw new OtlpError('too-deep');
  if (value === null) return null;
  if (!isObject(value)) throw new OtlpError('A value is no object such as {"stringValue":"text"}.');
  if (value.stringValue !== undefined) return textOf(value.stringValue);
  if (value.boolValue !== undefined) return value.boolValue === true;
  if (value.intValue !== undefined) return integer(String(value.intValue));
  if (value.doubleValue !== undefined) return finite(Number(value.doubleValue));
  if (value.bytesValue !== undefined) return textOf(value.bytesValue);
  const { arrayValue, kvlistValue } = value;
  if (isObject(kvlistValue)) return jsonAttributes(kvlistValue.values, depth + 1);
  if (isObject(arrayValue)) return objects(arrayValue, 'values').map((each) => jsonValue(each, depth + 1));
  return null;
}

/** A number as long as it is exact, otherwise text. */
function integer(value: bigint | string): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

const finite = (value: number): number | string => (Number.isFinite(value) ? value : String(value));
