/**
 * How each call is asked about each organisation. `organisation`: an id in the address, query or body selects it; `object`: the address names a
 * thing that belongs to it; `self`: there is nothing to select. A call that changes what others need gets a thing of its own each time.
 */
import type { Person, Place, Things, World } from './access.fixture.ts';

export type Target = Place | 'all';

export interface Input {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export interface SkillContext {
  /** The organisation's id; 0 for all. */
  id: number;
  things: Things;
  place: Place;
  world: World;
  person: Person;
  /** `things` name what does not exist. */
  isMissing?: true;
}

export interface Probe {
  names: 'organisation' | 'object' | 'self';
  /** Whether 0 (All) can be asked for. */
  takesAll?: true;
  /** Only organisations of this kind: others are refused for a reason of their own. */
  only?: 'clients' | 'partners';
  /** Needs a scope with more than one partner in it. */
  overPartners?: true;
  /** With the reach `me` it answers about the own organisation, with oneself alone. */
  meIsLetIn?: true;
  /** What makes a call ask for a recent proof of identity, where not every body does: put into its body. */
  fresh?: Record<string, unknown>;
  input: (asking: SkillContext) => Input | Promise<Input>;
  /** The same about the caller's own user, for calls that reach to oneself. */
  mine?: (asking: SkillContext & { userId: number }) => Input;
}

export const range = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' };
export const organisation = (input: Probe['input'], more: Partial<Probe> = {}): Probe => ({
  names: 'organisation',
  input,
  ...more,
});
export const object = (input: Probe['input'], more: Partial<Probe> = {}): Probe => ({ names: 'object', input, ...more });
export const overRange = organisation(({ id }) => ({ params: { client: id, ...range } }), { takesAll: true });
