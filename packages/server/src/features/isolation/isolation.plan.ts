/** Pairs of organisations that a night tries: relatives every night, all others within thirty nights. */
import { providerId } from '@parapet/contract/access.ts';

export interface Place {
  id: number;
  parentId: number | null;
  isPartner: boolean;
}

export const nightsOfAll = 30;
/** Installations of so few organisations try all pairs each night. */
const fewTargets = 20;
/** Strangers each night, besides those whose turn it is. */
const relatives = 2;

const sees = (actor: Place, { id, parentId }: Place): boolean =>
  actor.id === providerId || id === actor.id || (actor.isPartner && parentId === actor.id);

/** Organisations that people of `actor` must not see. */
export const foreignOf = (actor: Place, places: readonly Place[]): Place[] => places.filter((place) => !sees(actor, place));

/**
 * Targets of a night, by its number: the parent, two siblings, another partner and one of its clients in turn, and each other organisation once in
 * thirty nights.
 */
export function targetsOf(actor: Place, places: readonly Place[], night: number): number[] {
  const foreign = foreignOf(actor, places);
  if (foreign.length <= fewTargets) return foreign.map(({ id }) => id);
  const inTurn = (from: readonly Place[], count: number): Place[] =>
    from.length <= count ? [...from] : Array.from({ length: count }, (_, index) => from[(night * count + index) % from.length]!);
  const siblings = foreign.filter(({ parentId, isPartner }) => !isPartner && parentId === actor.parentId);
  const parents = foreign.filter(({ id }) => id === actor.parentId);
  const partners = foreign.filter(({ isPartner, id }) => isPartner && id !== actor.parentId && id !== providerId);
  const cousins = foreign.filter(({ parentId, isPartner }) => !isPartner && parentId !== actor.parentId);
  const due = foreign.filter(({ id }) => (id + actor.id + night) % nightsOfAll === 0);
  const chosen = [...parents, ...inTurn(siblings, relatives), ...inTurn(partners, 1), ...inTurn(cousins, 1), ...due];
  return [...new Set(chosen.map(({ id }) => id))];
}
