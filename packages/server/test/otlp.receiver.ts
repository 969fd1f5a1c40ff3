/** Small receiver of OTLP over HTTP: keeps the spans and metrics of protobuf bodies. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A field of protobuf: number of a varint, or bytes; doubles and fixed ones as bytes. */
type Fields = Map<number, (bigint | Buffer)[]>;

function varint(bytes: Buffer, at: number): [bigint, number] {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n, at++) {
    const byte = bytes[at] as number;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  for (let at = 0; at < bytes.length; ) {
    const [tag, afterTag] = varint(bytes, at);
    at = afterTag;
    let value: bigint | Buffer;
    const wire = Number(tag & 7n);
    if (wire === 0) [value, at] = varint(bytes, at);
    else {
      const [length, start] = wire === 2 ? varint(bytes, at) : [wire === 1 ? 8n : 4n, at];
      value = bytes.subarray(start, start + Number(length));
      at = start + Number(length);
    }
    const number = Number(tag >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer));
const text = (fields: Fields | undefined, number: number): string => String(fields?.get(number)?.[0] ?? '');
const hex = (fields: Fields, number: number): string =>
  ((fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('hex');

/** String and integer attributes. */
function attributesOf(fields: Fields, number: number): Record<string, string> {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const [value = new Map() as Fields] = messages(pair, 2);
      return [text(pair, 1), String(value.get(1)?.[0] ?? value.get(3)?.[0] ?? '')];
    }),
  );
}

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Record<string, string>;
  /** 2 is an error. */
  status: number;
  ns: bigint;
}

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  /** Names of metrics, with the attributes of their points. */
  const metrics = new Map<string, Record<string, string>[]>();
  const headers: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      headers.push(String(request.headers.authorization));
      const whole = Buffer.concat(parts);
      const body = fieldsOf(request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole);
      for (const scope of messages(body, 1).flatMap((resource) => messages(resource, 2)))
        for (const each of messages(scope, 2)) {
          if (request.url === '/v1/traces') spans.push(spanOf(each));
          else metrics.set(text(each, 1), pointsOf(each));
        }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    headers,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spanOf(span: Fields): ReceivedSpan {
  const at = (number: number) => (span.get(number)?.[0] as Buffer | undefined)?.readBigUInt64LE() ?? 0n;
  const [status] = messages(span, 15);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    attributes: attributesOf(span, 9),
    status: Number(status?.get(3)?.[0] ?? 0),
    ns: at(8) - at(7),
  };
}

/** Of gauges (5) and sums (7), whose attributes are field 7, and of histograms (9), whose are field 9. */
const pointsOf = (metric: Fields): Record<string, string>[] =>
  [5, 7, 9].flatMap((kind) =>
    messages(metric, kind).flatMap((data) => messages(data, 1).map((point) => attributesOf(point, kind === 9 ? 9 : 7))),
  );
