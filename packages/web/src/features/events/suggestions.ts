/** Completion of a search: names of fields and values that the client sends, with the number of events that have them. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { eventsApi } from '@parapet/contract/events.ts';
import { type Completion, completionAt } from '@parapet/contract/rules/kql/edit.ts';
import { printPattern } from '@parapet/contract/rules/kql/print.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { eventList, eventSearchOf } from './eventSearch.ts';
import { fieldsQuery } from './events.queries.ts';

export interface Suggestion {
  text: string;
  count: number;
}
export interface Suggestions {
  place: Completion | undefined;
  items: readonly Suggestion[];
  /** Events that were counted. */
  events: number;
}

type Fields = AnswerOf<typeof eventsApi.fields>;
const maxItems = 12;

/** Those that begin with the typed text come before those that contain it; all are in the order of their counts. */
export function suggestionsOf(place: Completion | undefined, names: Fields | undefined, values: Fields | undefined): Suggestions {
  const source = place?.kind === 'value' ? values : names;
  if (!place || !source) return { place, items: [], events: 0 };
  const typed = place.typed.toLowerCase();
  const known =
    place.kind === 'field'
      ? source.fields.map(({ name, count }) => ({ text: name, count }))
      : (source.fields.find(({ name }) => name.toLowerCase() === place.field.toLowerCase())?.values ?? []).map(
          ({ value, count }) => ({ text: value, count }),
        );
  // A free word needs no list of all fields.
  const fitting = known.filter(({ text }) => text.toLowerCase().includes(typed));
  const isFirst = ({ text }: Suggestion) => text.toLowerCase().startsWith(typed);
  const items = [...fitting.filter(isFirst), ...fitting.filter((item) => !isFirst(item))].slice(0, maxItems);
  return { place, items, events: source.events };
}

/** The text with a suggestion in place of what was typed, and the caret behind it. */
export function applied(
  text: string,
  place: Completion | undefined,
  { text: chosen }: Suggestion,
): { text: string; caret: number } {
  if (!place) return { text, caret: text.length };
  const quote = place.kind === 'value' && text[place.at] === '"' ? 1 : 0;
  const written = place.kind === 'field' ? `${printPattern([chosen])}: ` : `${printPattern([chosen])} `;
  const head = text.slice(0, place.at) + written;
  return { text: head + text.slice(place.at + quote + place.typed.length).replace(/^"? ?/, ''), caret: head.length };
}

const anySearch = eventSearchOf(eventList.read({}));

/** Reads names once for a client and time, and values once for each field. */
export function useFieldSuggestions(client: number, range: Range, at: { text: string; caret: number } | undefined): Suggestions {
  const place = at && completionAt(at.text, at.caret);
  const names = useQuery({ ...fieldsQuery(client, range, anySearch), enabled: place?.kind === 'field' });
  const field = place?.kind === 'value' ? place.field : '';
  const search = { ...anySearch, search: field && `${printPattern([field])}: *` };
  const values = useQuery({ ...fieldsQuery(client, range, search), enabled: field !== '' });
  return suggestionsOf(place, names.data, values.isPlaceholderData ? undefined : values.data);
}
