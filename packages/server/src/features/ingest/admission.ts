/**
 * Bounds the work in flight, fairly: no organisation may hold more than an equal share of the room, counting one newcomer. The room is kept
 * once more for those who hold nothing yet, so that a flood from some never shuts out another. What is not admitted is told to come again,
 * and loses nothing.
 */
export interface Admission {
  /** Answers a function that gives the room back, or undefined when there is none. */
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
