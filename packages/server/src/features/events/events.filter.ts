/** Event filters as tests of stored events, and what every match contains, by which the store skips blocks and events. */
import type { eventFilters } from '@parapet/contract/events.ts';
import type { Kql } from '@parapet/contract/rules/kql/ast.ts';
import type { SearchedEvent } from '@parapet/contract/rules/kql/fields.ts';
import { literals } from '@parapet/contract/rules/kql/literals.ts';
import { matcher } from '@parapet/contract/rules/kql/match.ts';
import { parseKql } from '@parapet/contract/rules/kql/parse.ts';
import type { z } from 'zod';
import type { StoredEvent } from '../../domain/events/eventStore.ts';

export type EventsFilter = z.output<z.ZodObject<typeof eventFilters>>;

const searchOf = ({ search }: EventsFilter): Kql | undefined => {
  const parsed = parseKql(search);
  return parsed.ok ? parsed.ast : undefined;
};

/** True if the heads of events decide: time, device and user. */
export const isOfHeads = ({ text, field, search }: EventsFilter): boolean => text === '' && field.length === 0 && search === '';

/** Test of what heads do not decide. */
export function matchesOf(filter: EventsFilter): (event: StoredEvent) => boolean {
  const ast = searchOf(filter);
  const tests = [
    ...(filter.text === '' ? [] : [containsText(filter.text)]),
    ...filter.field.map(hasField),
    ...(ast ? [searched(matcher(ast))] : []),
  ];
  return (event) => tests.every((test) => test(event));
}

const searched =
  (matches: (event: SearchedEvent) => boolean) =>
  (event: StoredEvent): boolean =>
    matches({
      at: new Date(event.at).toISOString(),
      receivedAt: new Date(event.receivedAt).toISOString(),
      shape: event.shape,
      deviceName: event.deviceName,
      userName: event.userName,
      text: event.text,
      get document() {
        return event.document;
      },
    });

function containsText(text: string): (event: StoredEvent) => boolean {
  const plain = text.toLowerCase();
  const inJson = JSON.stringify(text).slice(1, -1).toLowerCase();
  return (event) => event.text.toLowerCase().includes(plain) || event.json.toLowerCase().includes(inJson);
}

/** Shorter texts are in every block. */
const minLength = 3;

/** Texts and words that every match contains, in lower case (contract/rules/kql/literals.ts). */
export function literalsOf(filter: EventsFilter): { substrings: string[]; tokens: string[] } {
  const ast = searchOf(filter);
  const { substrings, tokens } = ast ? literals(ast) : { substrings: [], tokens: [] };
  const pieces = filter.text.toLowerCase().match(/[ !#$%()*,\-.:;=?@[\]^_`{|}~\da-z]{3,}/g) ?? [];
  const usable = [...substrings, ...pieces].filter(({ length }) => length >= minLength);
  return { substrings: usable.sort((a, b) => b.length - a.length), tokens };
}

/** Names with more parts are only read whole and fully split. */
const maxParts = 5;

/** Interpretations of a dotted name: shippers nest some parts and dot others. `a.b` is `a` › `b`, or `a.b`. */
function readings(parts: readonly string[]): string[][] {
  const [first = '', ...others] = parts;
  if (others.length === 0) return [[first]];
  return readings(others).flatMap(([next = '', ...rest]) => [
    [first, next, ...rest],
    [`${first}.${next}`, ...rest],
  ]);
}

/** A list stands for each of its elements. */
const elements = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const valuesAt = (document: unknown, keys: readonly string[]): unknown[] =>
  keys
    .reduce<unknown[]>(
      (found, key) =>
        found
          .flatMap(elements)
          .flatMap((value) =>
            typeof value === 'object' && value !== null && Object.hasOwn(value, key)
              ? [(value as Record<string, unknown>)[key]]
              : [],
          ),
      [document],
    )
    .flatMap(elements);

function hasField(given: string): (event: StoredEvent) => boolean {
  const at = given.search(/[=:]/);
  const wanted = given.slice(at + 1).toLowerCase();
  const parts = given.slice(0, at).split('.');
  const keys = parts.length <= maxParts ? readings(parts) : [parts, [parts.join('.')]];
  const isExact = given[at] === '=';
  const fits = (value: unknown) => {
    if (value === null || value === undefined) return false;
    const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).toLowerCase();
    return isExact ? text === wanted : text.includes(wanted);
  };
  return ({ document }) => keys.some((path) => valuesAt(document, path).some(fits));
}
