/** Outcome of a step: the event continues, is dropped for a counted reason, or becomes a dead letter with a reason. */
export type Result = { kind: 'ok' } | { kind: 'drop'; reason: DropReason } | { kind: 'dead'; reason: DeadReason; text: string };

export const dropReasons = ['duplicate'] as const;
export type DropReason = (typeof dropReasons)[number];

export const deadReasons = [
  'not-json',
  'not-an-object',
  'too-large',
  'too-many-fields',
  'too-deep',
  'step-failed',
  'not-storable',
  'unknown-action',
  'reserved',
] as const;
export type DeadReason = (typeof deadReasons)[number];

export const ok: Result = { kind: 'ok' };
export const drop = (reason: DropReason): Result => ({ kind: 'drop', reason });
/** `text` is for the shipper’s owner: the problem and its remedy. */
export const dead = (reason: DeadReason, text: string): Result => ({ kind: 'dead', reason, text });
