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

/** A recording on which a rule with the technique raised an alert. */
export interface Proof {
  /** Its slug in `recordings/`. */
  recording: string;
  title: string;
  /** Recorded on booted hosts, or written by hand. */
  origin: 'range' | 'written';
}

/** Technique → its proofs, those of the range first; written by `npm run coverage`. */
export const proofs = read<Record<string, Proof[] | undefined>>('proofs.json');

/** T1059 of T1059.001. */
export const parentOf = (id: string): string => id.slice(0, id.includes('.') ? id.indexOf('.') : undefined);

const byId = new Map(attack.techniques.map((technique) => [technique.id, technique]));
export const techniqueOf = (id: string): Technique | undefined => byId.get(id);
