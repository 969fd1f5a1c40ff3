/** Senders of one port of syslog, found by their address. */
import { isWithin } from '../../core/address-ranges.ts';

export interface Sender {
  /** Connection. */
  id: number;
  organisationId: number;
  /** Empty: every address of the port. */
  networks: readonly string[];
}

export interface SyslogHooks {
  stored: (sender: Sender, count: number) => void;
  /** Called for each datagram or connection of an address that no sender lists. */
  unknown: (address: string) => void;
  /** Datagrams that the operating system dropped. */
  lost: (count: number) => void;
}

export interface SyslogListener {
  port: number;
  /** Replaces the senders; a connection of another sender ends. */
  update(senders: readonly Sender[]): void;
  close(): Promise<void>;
}

/** Addresses whose sender is remembered. */
const maxKnown = 10_000;

/** Without the prefix of mapped IPv4 and without a zone. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');

export function createSenders(given: readonly Sender[]) {
  let senders = given;
  const known = new Map<string, Sender | undefined>();
  return {
    all: () => senders,
    of(address: string): Sender | undefined {
      if (known.has(address)) return known.get(address);
      const found = senders.find(({ networks }) => isWithin(address, networks));
      if (known.size >= maxKnown) known.clear();
      known.set(address, found);
      return found;
    },
    replace(next: readonly Sender[]): void {
      senders = next;
      known.clear();
    },
  };
}
