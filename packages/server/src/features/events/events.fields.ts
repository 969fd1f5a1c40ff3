/** Fields of events and their most frequent values, for the side list and the completion of a search. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { eventsApi } from '@parapet/contract/events.ts';
import type { StoredEvent } from '../../domain/events/eventStore.ts';

type Fields = AnswerOf<typeof eventsApi.fields>['fields'];

const maxFields = 500;
/** Names beyond these are counted no more: hostile events may bring new ones without end. */
const maxNames = 5_000;
const maxNameLength = 300;
const maxValues = 10;
const maxValueLength = 200;
/** Different values that a field is counted by. */
const maxDifferent = 1_000;
const maxDepth = 20;

interface Counts {
  count: number;
  values: Map<string, number>;
}

export function createFieldCounts() {
  const counts = new Map<string, Counts>();
  const countOf = (name: string): Counts | undefined => {
    const known = counts.get(name);
    if (known || counts.size >= maxNames || name.length > maxNameLength) return known;
    const made = { count: 0, values: new Map<string, number>() };
    counts.set(name, made);
    return made;
  };
  return {
    add(event: StoredEvent): void {
      for (const [name, values] of valuesByField(event)) {
        const field = countOf(name);
        if (!field) continue;
        field.count++;
        for (const value of values) {
          const before = field.values.get(value);
          if (before !== undefined || field.values.size < maxDifferent) field.values.set(value, (before ?? 0) + 1);
        }
      }
    },

    /** The most frequent first, equal ones by name. */
    fields: (): Fields =>
      [...counts]
        .map(([name, { count, values }]) => ({ name, count, values: topOf(values) }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
        .slice(0, maxFields),
  };
}

const topOf = (values: ReadonlyMap<string, number>) =>
  [...values]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, maxValues);

/** Different values of each field of an event, dotted; elements of lists belong to the list. */
function valuesByField({ deviceName, userName, shape, document }: StoredEvent): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (name: string, value: unknown) => {
    if (value === null || value === undefined) return;
    const values = found.get(name) ?? new Set();
    found.set(name, values);
    const text = String(value);
    if (text.trim() !== '' && text.length <= maxValueLength) values.add(text);
  };
  const walk = (name: string, value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) add(name, value);
    else if (depth > maxDepth) return;
    else if (Array.isArray(value)) for (const element of value) walk(name, element, depth + 1);
    else for (const [key, child] of Object.entries(value)) walk(name === '' ? key : `${name}.${key}`, child, depth + 1);
  };
  add('device', deviceName);
  add('user', userName);
  add('shape', shape);
  walk('', document, 0);
  return found;
}
