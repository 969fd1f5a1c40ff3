/**
 * Gates of regular expressions: sets of texts of which one must occur in a field before an expression runs. They are searched in the same pass
 * over the field as the rules' own literals, so that a rule with ten expressions runs the one that could match.
 */
import { everyday, type RequiredLiteral, within } from './literals.ts';

export interface Gate {
  clause: RequiredLiteral[];
  /** True while one of its texts occurs in the current event. */
  isOpen: boolean;
}

export interface Gates {
  /** Gates of the sets that are worth a search, one for each set and field. */
  of(field: string, sets: readonly string[][]): Gate[];
}

export function newGates(): Gates & { all: Gate[] } {
  const all: Gate[] = [];
  const known = new Map<string, Gate>();
  return {
    all,
    of: (field, sets) =>
      sets
        .filter((texts) => !texts.some((text) => everyday.includes(text)))
        .map((texts) => {
          const key = JSON.stringify([field, ...texts]);
          const gate = known.get(key) ?? { clause: within(field, texts), isOpen: false };
          if (!known.has(key)) {
            known.set(key, gate);
            all.push(gate);
          }
          return gate;
        }),
  };
}
