/** What became of what was sent, in words. */

const words: Record<string, string> = {
  stored: 'Stored',
  duplicate: 'Sent twice, kept once',
  'not-json': 'Not JSON',
  'not-an-object': 'Not a JSON object',
  'too-large': 'Too large',
  'too-many-fields': 'Too many fields',
  'too-deep': 'Nested too deep',
  'step-failed': 'Could not be read',
  'not-storable': 'Holds what cannot be stored',
  'unknown-action': 'Not an event to be stored',
  reserved: 'Named like the portal’s own',
};

export const reasonWord = (reason: string): string => words[reason] ?? reason;

interface Counted {
  reason: string;
  count: number;
}

/** `dropped`: neither stored nor there already, most first. */
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
