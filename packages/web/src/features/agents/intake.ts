/** Intake counters by outcome. */

interface Counted {
  reason: string;
  count: number;
}

/** Splits counters into stored, duplicate and dropped (all other reasons, most frequent first). */
export function intakeOf(intake: readonly Counted[]): { stored: number; duplicate: number; dropped: Counted[] } {
  const of = (reason: string) => intake.find((each) => each.reason === reason)?.count ?? 0;
  return {
    stored: of('stored'),
    duplicate: of('duplicate'),
    dropped: intake
      .filter(({ reason, count }) => reason !== 'stored' && reason !== 'duplicate' && count > 0)
      .toSorted((a, b) => b.count - a.count),
  };
}
