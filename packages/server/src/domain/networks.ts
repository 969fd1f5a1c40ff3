/**
 * Country and network (autonomous system) of public addresses, by tables that the operator provides (`ADDRESS_TABLES`). Without them
 * nothing is known of any address. One state for the process: the intake, rules and pages read the same.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createRangesBuilder, type Ranges } from './networks.table.ts';

export interface AutonomousSystem {
  number: number;
  organisation: string;
}

export interface Network {
  /** ISO 3166-1, two letters. */
  country: string | undefined;
  system: AutonomousSystem | undefined;
}

interface Tables {
  countries: Ranges<string> | undefined;
  systems: Ranges<AutonomousSystem> | undefined;
}

let tables: Tables = { countries: undefined, systems: undefined };

/** Undefined for private and reserved addresses, for unlisted ones, and for text that is no address. */
export function networkOf(address: string): Network | undefined {
  if (!tables.countries?.size && !tables.systems?.size) return undefined;
  const country = tables.countries?.of(address);
  const system = tables.systems?.of(address);
  return country === undefined && system === undefined ? undefined : { country, system };
}

/** “DE · AS3320 Deutsche Telekom AG”; undefined for an unknown address. */
export function shownNetwork(address: string): string | undefined {
  const network = networkOf(address);
  if (!network) return undefined;
  const { country, system } = network;
  return [country, system && `AS${system.number}${system.organisation && ` ${system.organisation}`}`].filter(Boolean).join(' · ');
}

const country = /^([^,]+),([^,]+),"?([A-Z]{2})"?\r?$/;
const system = /^([^,]+),([^,]+),"?(?:AS)?(\d{1,10})"?,(.*)$/;

/**
 * Reads tables as lines of `first,last,country` or `first,last,number,organisation`, sorted by address, IPv4 and IPv6 in any files; replaces
 * those read before.
 * @throws for a file that can’t be read, or whose first hundred lines hold no range
 */
export async function loadNetworks(paths: readonly string[]): Promise<{ countries: number; systems: number }> {
  const countries = createRangesBuilder<string>();
  const systems = createRangesBuilder<AutonomousSystem>();
  const take = (text: string): boolean => {
    const [, first, last, code] = country.exec(text) ?? [];
    if (first && last && code) return countries.add(first, last, code, () => code);
    const [, from, to, number, name = ''] = system.exec(text) ?? [];
    if (!from || !to || !number) return false;
    return systems.add(from, to, number, () => ({ number: Number(number), organisation: nameOf(name) }));
  };
  for (const path of paths) {
    let [line, taken] = [0, 0];
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      if (take(text)) taken++;
      if (++line === 100 && taken === 0) break;
    }
    if (taken === 0)
      throw new Error(`${path} (ADDRESS_TABLES) holds no lines of first,last,country or first,last,number,organisation.`);
  }
  tables = { countries: countries.build(), systems: systems.build() };
  return { countries: tables.countries?.size ?? 0, systems: tables.systems?.size ?? 0 };
}

const nameOf = (cell: string): string =>
  (cell.startsWith('"') ? cell.slice(1, cell.lastIndexOf('"')).replaceAll('""', '"') : cell).trim().slice(0, 200);
