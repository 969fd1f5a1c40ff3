/**
 * Stands in for the portal inside the range: takes what agent and shippers post, and refuses look-ups of names. Prints every document and
 * every look-up as one JSON line.
 */
import { createSocket } from 'node:dgram';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { agentPaths } from '@parapet/contract/agentProtocol.ts';
import { readBulk } from '@parapet/server/features/ingest/bulk.ts';
import { portal } from './addresses.ts';

export type PortalLine =
  | { kind: 'document'; raw: string }
  | { kind: 'lookup'; name: string; type: number; from: string; port: number; id: number };

const print = (line: PortalLine) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'];
  return encoding === 'gzip' ? gunzipSync(body) : encoding === 'zstd' ? zstdDecompressSync(body) : body;
}

/** Answer to a request below the agent’s and the shippers’ paths. */
async function answerTo(path: string, request: IncomingMessage): Promise<object> {
  if (path.endsWith('/_bulk')) {
    const items: object[] = [];
    for (const item of readBulk(await bodyOf(request), 'events', true)) {
      if (item.kind === 'event') {
        const { raw } = item.arrival;
        print({ kind: 'document', raw: typeof raw === 'string' ? raw : JSON.stringify(raw) });
      }
      items.push({ create: { status: 201, _index: 'events' } });
    }
    return { took: 1, errors: false, items };
  }
  if (path === agentPaths.checkIn) return { nextInSeconds: 3_600, wantsInventory: false, upgrade: null };
  if (path === agentPaths.tasks) {
    await pause(30_000);
    return { tasks: [] };
  }
  return { name: 'range', version: { number: '8.15.3' } };
}

createServer((request, response) => {
  answerTo(new URL(request.url ?? '/', 'http://portal').pathname, request).then(
    (answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    () => response.writeHead(400).end(),
  );
}).listen(8080, portal, () => process.stderr.write('ready\n'));

/** Answers every question with "no such name", and reports it. */
const names = createSocket('udp4', (query, { address, port }) => {
  const labels: string[] = [];
  let at = 12;
  while (at < query.length && query[at] !== 0) {
    const length = query[at]!;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  if (at + 5 > query.length) return;
  print({
    kind: 'lookup',
    name: labels.join('.'),
    type: query.readUInt16BE(at + 1),
    from: address,
    port,
    id: query.readUInt16BE(0),
  });
  const answer = Buffer.from(query.subarray(0, at + 5));
  answer.writeUInt16BE(0x8183, 2);
  answer.fill(0, 6, 12);
  answer.writeUInt16BE(1, 4);
  names.send(answer, port, address);
});
names.bind(53, portal);
