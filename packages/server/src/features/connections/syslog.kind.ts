/** The kind of connection to which devices send syslog, by a port or by the networks of their senders. */
import type { Described, Values } from '@parapet/connectors/connector.ts';
import type { SyslogTransport } from '@parapet/contract/syslog.ts';
import { isNetwork, type PortRange } from '../../core/config.syslog.ts';

export const syslogKind = 'syslog';
/** Written in place of networks: every sender of the port. */
const everySender = 'any';
const maxNetworks = 50;

export interface SyslogPlace {
  transport: SyslogTransport;
  port: number;
  /** Empty: every sender of the port. */
  networks: string[];
}

export function placeOf({ transport = '', port = '', senders = '' }: Values): SyslogPlace {
  const networks = senders.split(/[\s,]+/).filter((text) => text !== '' && text !== everySender);
  return { transport: transport === 'tcp' ? 'tcp' : 'udp', port: Number(port), networks };
}

export const valuesOf = ({ transport, port, networks }: SyslogPlace): Values => ({
  transport,
  port: String(port),
  senders: networks.join(', ') || everySender,
});

/** Fault of the networks in words; undefined for valid ones. */
export function faultOfNetworks(networks: readonly string[]): string | undefined {
  if (networks.length > maxNetworks) return `Enter at most ${maxNetworks} networks.`;
  const wrong = networks.find((text) => !isNetwork(text));
  return wrong === undefined ? undefined : `"${wrong.slice(0, 60)}" is no address and no network.`;
}

/** `UDP 514 from 192.0.2.0/24`: names the place in lists. */
const accountOf = (values: Values): string => {
  const { transport, port, networks } = placeOf(values);
  const [first, ...more] = networks;
  const senders = first === undefined ? '' : ` from ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  return `${transport.toUpperCase()} ${port}${senders}`;
};

export const textOfPorts = (ranges: readonly PortRange[]): string =>
  ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');

/** Refusal of a port in words; undefined for a permitted one. */
export function faultOfPort(ranges: readonly PortRange[], port: number): string | undefined {
  if (ranges.some(([from, to]) => port >= from && port <= to)) return undefined;
  if (ranges.length === 0) return `Port ${port} isn’t permitted: the operator lists ports in SYSLOG_PORTS.`;
  return `Port ${port} isn’t permitted. Permitted: ${textOfPorts(ranges)}.`;
}

export const describeSyslog = (permitted: readonly PortRange[]): Described => ({
  id: syslogKind,
  title: 'Syslog',
  documentation: 'https://www.rfc-editor.org/rfc/rfc5424',
  steps: [
    'Choose transport and port here. TCP loses nothing while the portal is busy; UDP can lose messages, which are counted.',
    'Let the device or its syslog server send to the portal’s address at this port, in RFC 5424 or RFC 3164.',
    'For firewalls, choose CEF, LEEF or the product’s own format; FortiGate, SonicWall, Palo Alto Networks, Cisco ASA and Firepower are read as they are.',
    'Enter networks that the provider lists for this client. Only the provider’s staff may add any, which is every sender of the port.',
  ],
  fields: [
    {
      name: 'transport',
      label: 'Transport',
      hint: 'TCP wherever the device offers it',
      initial: 'tcp',
      isSecret: false,
      options: [
        { value: 'tcp', label: 'TCP' },
        { value: 'udp', label: 'UDP' },
      ],
      pattern: /^(?:tcp|udp)$/,
      fault: 'Choose TCP or UDP.',
    },
    {
      name: 'port',
      label: 'Port',
      hint:
        permitted.length > 0
          ? `Permitted here: ${textOfPorts(permitted)}`
          : 'None is permitted here: the operator lists ports in SYSLOG_PORTS',
      isSecret: false,
      pattern: /^\d{1,5}$/,
      fault: 'Enter a port, such as 514.',
    },
    {
      name: 'senders',
      label: 'Senders',
      hint: 'Addresses and networks separated by commas, such as 192.0.2.0/24; the provider’s staff may write any',
      isSecret: false,
      pattern: /^[\da-fA-F:.,/\s]{1,3000}$|^any$/,
      fault: 'Enter any, or addresses and networks separated by commas.',
    },
  ],
  actions: [],
  actionStep: '',
  accountOf,
});
