/** Names under which an event of its shape may have a field that rules use. */
import { places } from '@parapet/sigma/fields.ts';
import { classify, newView } from '@parapet/sigma/logsource.ts';
import type { Document } from '@parapet/sigma/source.ts';

export const fieldPlaces = (document: object, field: string): string[] =>
  places(classify(document as Document, newView()).shape, field).map(({ name }) => name);
