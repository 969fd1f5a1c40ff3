/** The tables of facts, typed. Read with `readFileSync`, because a JSON import needs an attribute that not every tool knows. */
import { readFileSync } from 'node:fs';

export interface Tactic {
  id: string;
  name: string;
  shortname: string;
  /** Place in the matrix, from 1. */
  order: number;
}

export interface Technique {
  id: string;
  name: string;
  /** Short names, in the order of the matrix. */
  tactics: string[];
}

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;

export const attack = read<{ version: string; tactics: Tactic[]; techniques: Technique[] }>('attack.json');
export const nist = read<{ controls: { id: string; name: string }[] }>('nist-800-53.json');
export const { mappings } = read<{ mappings: Record<string, string[] | undefined> }>('attack-to-nist.json') as {
  mappings: Record<string, string[]>;
};
export const { categories } = read<{ categories: { name: string; means: string; reserved?: boolean }[] }>('categories.json');

const byId = new Map(attack.techniques.map((technique) => [technique.id, technique]));
export const techniqueOf = (id: string): Technique | undefined => byId.get(id);
