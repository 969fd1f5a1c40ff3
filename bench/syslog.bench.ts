/**
 * Syslog over TCP and UDP to the stored event, against the bulk endpoint with the same lines, parsed by the shipper. All three run in one child process
 * with a real database, interleaved, and are compared by the process's processor time per stored event.
 */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseSyslog } from '@parapet/server/pipeline/syslog/parse.ts';
import { startServer } from './cpu.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const linesARound = 5_000;
const linesABody = 1_000;
const rounds = 8;
const burst = 50;
const waitMs = 20_000;

/** Lines of firewalls, no two alike. */
function lineOf(number: number): string {
  const [from, to, at] = [`10.20.${number % 250}.${(number >> 8) % 250}`, `203.0.113.${number % 200}`, 1_024 + (number % 60_000)];
  const header = `<134>${new Date().toISOString()} fw-${number % 20}`;
  switch (number % 4) {
    case 0:
      return `${header} %ASA-6-302013: Built outbound TCP connection ${number} for outside:${to}/443 (${to}/443) to inside:${from}/${at} (198.51.100.4/${at})`;
    case 1:
      return `${header} date=2026-11-26 time=08:00:00 devname="fw-${number % 20}" logid="0000000013" type="traffic" subtype="forward" level="notice" srcip=${from} srcport=${at} dstip=${to} dstport=443 proto=6 action="accept" policyid=7 service="HTTPS" sentbyte=${number} rcvdbyte=9000 sessionid=${number}`;
    case 2:
      return `${header} CEF:0|Vendor|Gate|1|traffic|flow end|3|src=${from} spt=${at} dst=${to} dpt=443 proto=TCP act=allow in=${number} out=9000 externalId=${number}`;
    default:
      return `${header} %FTD-1-430003: EventPriority: Low, ConnectionID: ${number}, AccessControlRuleAction: Allow, SrcIP: ${from}, DstIP: ${to}, SrcPort: ${at}, DstPort: 443, Protocol: tcp, IngressZone: inside, EgressZone: outside, AccessControlRuleName: Out, Prefilter Policy: Default, InitiatorBytes: ${number}, ResponderBytes: 9000`;
  }
}

interface Handshake {
  address: string;
  tcp: number;
  udp: number;
}

export async function run(): Promise<Result[]> {
  const { handshake, stop } = await startServer<Handshake>('./syslog.server.ts');
  const number = async (path: string) => Number(await (await fetch(`${handshake.address}${path}`)).text());
  let next = 0;
  const take = () => Array.from({ length: linesARound }, () => lineOf(next++));
  /** Processor time in µs for each stored line. */
  const measured = async (send: (lines: string[]) => Promise<number>): Promise<number> => {
    const lines = take();
    await number('/cpu');
    const stored = await send(lines);
    return (await number('/cpu')) / stored;
  };
  const until = async (before: number, wanted: number): Promise<number> => {
    let stored = 0;
    let changedAt = Date.now();
    while (stored < wanted && Date.now() - changedAt < waitMs) {
      await pause(200);
      const now = (await number('/stored')) - before;
      if (now > stored) changedAt = Date.now();
      stored = now;
      // Datagrams may be lost.
      if (stored > 0 && Date.now() - changedAt > 2_000) break;
    }
    return stored;
  };
  const bulk = (lines: string[]) => sendBulk(handshake.address, lines);
  const tcp = async (lines: string[]) => {
    const before = await number('/stored');
    const socket = connect(handshake.tcp, '127.0.0.1');
    socket.end(`${lines.join('\n')}\n`);
    return until(before, lines.length);
  };
  const udp = async (lines: string[]) => {
    const before = await number('/stored');
    const socket = createSocket('udp4');
    for (let from = 0; from < lines.length; from += burst) {
      for (const line of lines.slice(from, from + burst)) socket.send(line, handshake.udp, '127.0.0.1');
      await pause(4);
    }
    const stored = await until(before, lines.length);
    socket.close();
    return stored;
  };
  try {
    const costs: Record<'bulk' | 'tcp' | 'udp', number[]> = { bulk: [], tcp: [], udp: [] };
    for (let round = 0; round < rounds; round++) {
      costs.bulk.push(await measured(bulk));
      costs.tcp.push(await measured(tcp));
      costs.udp.push(await measured(udp));
    }
    const perSecond = (list: number[]) => 1e6 / median(list.slice(2));
    const limit = perSecond(costs.bulk);
    return (['tcp', 'udp'] as const).map((name) => ({
      name: `syslog.${name}`,
      unit: 'events/s',
      value: perSecond(costs[name]),
      limit,
      ratio: median(costs[name].map((each, round) => costs.bulk[round]! / each).slice(2)),
    }));
  } finally {
    await stop();
  }
}

async function sendBulk(address: string, lines: string[]): Promise<number> {
  for (let from = 0; from < lines.length; from += linesABody) {
    const documents = lines.slice(from, from + linesABody).map((line) => JSON.stringify(parseSyslog(line, Date.now())));
    const answer = await fetch(`${address}/ingest/syslog/_bulk`, {
      method: 'POST',
      body: documents.map((document) => `{"create":{}}\n${document}\n`).join(''),
      headers: { 'content-type': 'application/x-ndjson', authorization: 'ApiKey pk_bench' },
    });
    const { errors } = (await answer.json()) as { errors: boolean };
    if (!answer.ok || errors) throw new Error(`The bulk endpoint returned ${answer.status}.`);
  }
  return lines.length;
}
