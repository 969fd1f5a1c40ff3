/**
 * Bounds the work in flight, fairly: no organisation may hold more than an equal share of the capacity, counting one
 * newcomer. A second capacity is reserved for organisations that hold nothing yet, so that a flood from some never shuts out
 * another. Rejected shippers retry and lose nothing.
 */
export interface Admission {
  /** Returns the release function, or undefined when there is no capacity. */
  admit(organisationId: number, bytes: number): (() => void) | undefined;
  bytesInFlight(): number;
}

export function createAdmission(maxBytes: number): Admission {
  const held = new Map<number, number>();
  let total = 0;
  return {
    admit(organisationId, bytes) {
      const mine = held.get(organisationId) ?? 0;
      const others = held.size - (mine > 0 ? 1 : 0);
      const share = maxBytes / (others + 2);
      if (mine > 0 && (mine + bytes > share || total + bytes > maxBytes)) return undefined;
      if (total > 0 && total + bytes > 2 * maxBytes) return undefined;
      held.set(organisationId, mine + bytes);
      total += bytes;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        total -= bytes;
        const left = (held.get(organisationId) ?? 0) - bytes;
        if (left > 0) held.set(organisationId, left);
        else held.delete(organisationId);
      };
    },
    bytesInFlight: () => total,
  };
}
