/**
 * Kinds of access probes. `organisation`: an id in the address, query or body selects it; `object`: the address names an object that belongs to
 * it; `self`: nothing to select. A call that changes shared data gets an object of its own each time.
 */
import type { Person, Place, World } from './access.fixture.ts';
import type { Fixtures } from './access.objects.ts';

export type Target = Place | 'all';

export interface Input {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export interface SkillContext {
  /** Organisation id; 0 for all. */
  id: number;
  things: Fixtures;
  place: Place;
  world: World;
  person: Person;
  /** `things` name missing objects. */
  isMissing?: true;
}

export interface Probe {
  names: 'organisation' | 'object' | 'self';
  /** True when 0 (All) is accepted. */
  takesAll?: true;
  /** Only organisations of this kind: others are refused for other reasons. */
  only?: 'clients' | 'partners';
  /** Requires a scope with several partners. */
  overPartners?: true;
  /** With reach `me`, allowed for the own organisation and limited to oneself. */
  meIsLetIn?: true;
  /** Body fields that trigger step-up, where not every body does. */
  fresh?: Record<string, unknown>;
  input: (context: SkillContext) => Input | Promise<Input>;
  /** The same input about the caller’s own user, for calls with reach `me`. */
  mine?: (context: SkillContext & { userId: number }) => Input;
}

export const range = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' };
export const organisation = (input: Probe['input'], more: Partial<Probe> = {}): Probe => ({
  names: 'organisation',
  input,
  ...more,
});
export const object = (input: Probe['input'], more: Partial<Probe> = {}): Probe => ({ names: 'object', input, ...more });
export const overRange = organisation(({ id }) => ({ params: { client: id, ...range } }), { takesAll: true });
