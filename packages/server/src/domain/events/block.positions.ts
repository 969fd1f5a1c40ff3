/** Positions of all values of a block. */
export interface Positions {
  /** Place of each event’s first leaf in `ordinals`. */
  starts: Uint32Array;
  /** Of each leaf: position of its value in the column of its place. */
  ordinals: Uint32Array;
  /** Number of values of each place. */
  counts: Uint32Array;
}

export function positionsOf(skeletons: readonly (readonly number[])[], skeletonOf: Uint32Array, places: number): Positions {
  const starts = new Uint32Array(skeletonOf.length + 1);
  for (let event = 0; event < skeletonOf.length; event++)
    starts[event + 1] = starts[event]! + skeletons[skeletonOf[event]!]!.length;
  const ordinals = new Uint32Array(starts[skeletonOf.length]!);
  const counts = new Uint32Array(places);
  let at = 0;
  for (let event = 0; event < skeletonOf.length; event++) {
    const list = skeletons[skeletonOf[event]!]!;
    for (let leaf = 0; leaf < list.length; leaf++) ordinals[at++] = counts[list[leaf]!]!++;
  }
  return { starts, ordinals, counts };
}

/** Number of a name, a new one for the first of its kind. */
export function numberOf(known: Map<string, number>, name: string): number {
  const number = known.get(name) ?? known.size;
  if (number === known.size) known.set(name, number);
  return number;
}
