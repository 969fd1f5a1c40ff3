/** ATT&CK techniques and the NIST SP 800-53 controls that answer them, by the ids that rules are tagged with. */
import { attack, mappings, nist, techniqueOf } from '../../../../detections/facts/facts.ts';

export interface TechniqueFacts {
  id: string;
  name: string;
  /** Their names, in the order of the matrix. */
  tactics: string[];
  /** Its page at attack.mitre.org. */
  url: string;
}

export interface Control {
  id: string;
  name: string;
}

/** T1059 of T1059.001. */
export const parentOf = (id: string): string => id.slice(0, id.includes('.') ? id.indexOf('.') : undefined);

export interface MatrixTechniqueFacts {
  id: string;
  name: string;
  subtechniques: { id: string; name: string }[];
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** The whole matrix: tactics in their order, techniques and sub-techniques by name. */
export const attackMatrix: readonly { id: string; name: string; techniques: MatrixTechniqueFacts[] }[] = (() => {
  const subtechniques = Map.groupBy(
    attack.techniques.filter(({ id }) => id.includes('.')),
    ({ id }) => parentOf(id),
  );
  return attack.tactics
    .toSorted((a, b) => a.order - b.order)
    .map(({ id, name, shortname }) => ({
      id,
      name,
      techniques: attack.techniques
        .filter((technique) => !technique.id.includes('.') && technique.tactics.includes(shortname))
        .sort(byName)
        .map((technique) => ({
          id: technique.id,
          name: technique.name,
          subtechniques: (subtechniques.get(technique.id) ?? []).map(({ id, name }) => ({ id, name })).sort(byName),
        })),
    }));
})();
export const attackVersion = attack.version;

const tacticNames = new Map(attack.tactics.map((tactic) => [tactic.shortname, tactic.name]));

/** A technique that the table no longer names is shown by its id. */
export function techniquesOf(ids: readonly string[]): TechniqueFacts[] {
  return [...new Set(ids)].map((id) => {
    const technique = techniqueOf(id);
    return {
      id,
      name: technique?.name ?? id,
      tactics: (technique?.tactics ?? []).map((shortname) => tacticNames.get(shortname) ?? shortname),
      url: `https://attack.mitre.org/techniques/${id.split('.').map(encodeURIComponent).join('/')}/`,
    };
  });
}

/** Once each, in the order of the catalogue. The mapping is older than the techniques: one that it lacks has its parent's controls. */
export function controlsOf(techniqueIds: readonly string[]): Control[] {
  const wanted = new Set(techniqueIds.flatMap((id) => mappings[id] ?? mappings[parentOf(id)] ?? []));
  return nist.controls.filter((control) => wanted.has(control.id));
}

const tacticOrders = new Map(attack.tactics.map((tactic) => [tactic.shortname, tactic.order]));
/** Of a short name; one that the table no longer has is its own name. */
export const tacticName = (shortname: string): string => tacticNames.get(shortname) ?? shortname;

/** Place of a tactic's short name in ATT&CK's order; undefined for one that the table no longer has. */
export const tacticPlace = (shortname: string): number | undefined => tacticOrders.get(shortname);

/** Length of the longest chain of distinct tactics in ATT&CK order; each alert contributes one of its tactics. */
export function tacticsInOrder(alerts: readonly { at: number; tactics: readonly string[] }[]): number {
  /** Place in the matrix → the longest chain that ends there. */
  const longest = new Map<number, number>();
  for (const { tactics } of [...alerts].sort((a, b) => a.at - b.at)) {
    const before = [...longest];
    for (const tactic of tactics) {
      const order = tacticOrders.get(tactic);
      if (order === undefined) continue;
      const chain = 1 + before.reduce((most, [place, length]) => (place < order ? Math.max(most, length) : most), 0);
      longest.set(order, Math.max(longest.get(order) ?? 0, chain));
    }
  }
  return Math.max(0, ...longest.values());
}
