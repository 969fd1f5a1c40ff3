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

const tacticNames = new Map(attack.tactics.map((tactic) => [tactic.shortname, tactic.name]));

const parentOf = (id: string): string => id.slice(0, id.includes('.') ? id.indexOf('.') : undefined);

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
