/** The settings SYSLOG, ports and senders of syslog that become connections, and SYSLOG_PORTS, the ports that connections may use. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { isWithin } from './address-ranges.ts';

export interface SyslogTcp {
  port: number;
  organisationId: number;
}

export interface SyslogUdp {
  port: number;
  /** Of one organisation without a network: every sender; otherwise only the listed networks, which never overlap between organisations. */
  senders: { organisationId: number; network: string | undefined }[];
}

/** First and last port of a range. */
export type PortRange = readonly [from: number, to: number];

export const syslogPortsSetting = z
  .string()
  .max(1_000)
  .default('')
  .transform((text, context): PortRange[] =>
    text
      .split(',')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [, from, to = from] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? [];
        if (from === undefined || Number(from) < 1 || Number(from) > Number(to) || Number(to) > 65_535) {
          context.addIssue({ code: 'custom', message: 'is a list of ports and ranges, such as 514,6514-6520' });
          return z.NEVER;
        }
        return [Number(from), Number(to)] as const;
      }),
  );

const entry =
  'is a list of port=organisation, udp:port=organisation or udp:port@network=organisation, such as 6514=10,udp:514@192.0.2.0/24=10';

export const syslogSetting = z
  .string()
  .max(10_000)
  .default('')
  .transform((text, context): { tcp: SyslogTcp[]; udp: SyslogUdp[] } => {
    const tcp: SyslogTcp[] = [];
    const udp = new Map<number, SyslogUdp>();
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    for (const part of text.split(',').filter(Boolean)) {
      const [, kind, portText, network, organisationText] = /^(udp:)?(\d{1,5})(?:@([^=]+))?=(\d{1,9})$/.exec(part.trim()) ?? [];
      const [port, organisationId] = [Number(portText), Number(organisationText)];
      if (portText === undefined || port > 65_535) return refuse(entry);
      if (kind === undefined) {
        if (network !== undefined) return refuse('lists networks for UDP only: over TCP a port belongs to one organisation');
        tcp.push({ port, organisationId });
        continue;
      }
      if (network !== undefined && !isNetwork(network)) return refuse(`has no network at "${part.slice(0, 100)}": ${entry}`);
      const listener = udp.get(port) ?? { port, senders: [] };
      listener.senders.push({ organisationId, network });
      udp.set(port, listener);
    }
    const fault = faultOf([...udp.values()]);
    return fault === undefined ? { tcp, udp: [...udp.values()] } : refuse(fault);
  });

/** True for an address or a network in CIDR notation. Mapped IPv4 is none: its senders are compared as IPv4. */
export function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || ipaddr.process(address).kind() !== `ipv${family}`) return false;
  return bits === undefined || Number(bits) <= (family === 4 ? 32 : 128);
}

function faultOf(listeners: readonly SyslogUdp[]): string | undefined {
  const all = listeners.flatMap(({ port, senders }) => senders.map((sender) => ({ port, ...sender })));
  for (const [at, one] of all.entries()) {
    for (const other of all.slice(at + 1)) {
      if (one.port === other.port && (one.network === undefined || other.network === undefined))
        return `gives UDP port ${one.port} to more than one entry; without networks it belongs to one organisation`;
      if (one.organisationId === other.organisationId || !one.network || !other.network) continue;
      if (overlap(one.network, other.network))
        return `gives ${one.network} and ${other.network}, which overlap, to different organisations`;
    }
  }
  return undefined;
}

const addressOf = (network: string): string => network.split('/', 1)[0] as string;

/** Length of the prefix in bits. */
export const bitsOf = (network: string): number => Number(network.split('/')[1] ?? (network.includes(':') ? 128 : 32));
export const overlap = (one: string, other: string): boolean =>
  isWithin(addressOf(one), [other]) || isWithin(addressOf(other), [one]);
