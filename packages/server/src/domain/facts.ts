/** ATT&CK techniques and the NIST SP 800-53 controls that answer them, by the ids that rules are tagged with. */
import { attack, mappings, nist, type Proof, parentOf, proofs, techniqueOf } from '../../../../detections/facts/facts.ts';

export { parentOf };

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

export interface MatrixTechniqueFacts {
  id: string;
  name: string;
  subtechniques: { id: string; name: string }[];
}

const withSubtechniques = Map.groupBy(
  Object.entries(proofs).flatMap(([id, list = []]) => list.map((proof) => ({ id, proof }))),
  ({ id }) => parentOf(id),
);
const originOrder = ['range', 'written'];

/** Recordings that prove a technique, once each; for a technique also those of its sub-techniques. */
export function proofsOf(id: string): Proof[] {
  const list = id.includes('.') ? (proofs[id] ?? []) : (withSubtechniques.get(id) ?? []).map(({ proof }) => proof);
  const distinct = [...new Map(list.map((proof) => [proof.recording, proof])).values()];
  return distinct.sort((a, b) => originOrder.indexOf(a.origin) - originOrder.indexOf(b.origin));
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

/** Short name to name. */
export const tacticNames: ReadonlyMap<string, string> = new Map(attack.tactics.map((tactic) => [tactic.shortname, tactic.name]));

/** Ids of the techniques and sub-techniques with this id or name, in any case. */
export const techniqueIdsOf = (text: string): string[] =>
  attack.techniques
    .filter(({ id, name }) => [id, name].some((each) => each.toLowerCase() === text.toLowerCase()))
    .map(({ id }) => id);

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

/** Every control of the catalogue, in its order. */
export const controls: readonly Control[] = nist.controls;
/** Technique → ids of its controls; those that the mapping lacks are looked up by their parent. */
export const controlMapping: Readonly<Record<string, string[] | undefined>> = mappings;

const tacticOrders = new Map(attack.tactics.map((tactic) => [tactic.shortname, tactic.order]));
/** Of a short name; one that the table no longer has is its own name. */
export const tacticName = (shortname: string): string => tacticNames.get(shortname) ?? shortname;

/** Place of a tactic's short name in ATT&CK's order; undefined for one that the table no longer has. */
export const tacticPlace = (shortname: string): number | undefined => tacticOrders.get(shortname);

/**
 * Length of the longest chain of distinct tactics in ATT&CK order; each alert contributes one of its tactics. At least `strong` steps of the chain
 * have to be by alerts that `isStrong` accepts; 0 without such a chain.
 */
export function tacticsInOrder<Alert extends { at: number; tactics: readonly string[] }>(
  alerts: readonly Alert[],
  isStrong: (alert: Alert) => boolean = () => true,
  strong = 0,
): number {
  /** Number of strong steps, counted up to `strong` → place in the matrix → the longest chain that ends there. */
  const longest = Array.from({ length: strong + 1 }, () => new Map<number, number>());
  for (const alert of [...alerts].sort((a, b) => a.at - b.at)) {
    const step = isStrong(alert) ? 1 : 0;
    const before = longest.map((chains) => [...chains]);
    for (const tactic of alert.tactics) {
      const order = tacticOrders.get(tactic);
      if (order === undefined) continue;
      for (const [steps, chains] of before.entries()) {
        const earlier = chains.reduce((most, [place, length]) => (place < order ? Math.max(most, length) : most), 0);
        // A chain of no alerts has no strong step.
        if (earlier === 0 && steps > 0) continue;
        const ends = longest[Math.min(strong, steps + step)]!;
        ends.set(order, Math.max(ends.get(order) ?? 0, earlier + 1));
      }
    }
  }
  return Math.max(0, ...longest[strong]!.values());
}
