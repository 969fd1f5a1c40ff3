/** A mapping while it is edited: from a pasted sample, one choice per field of the sample. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import {
  type FieldPath,
  fieldsOfSample,
  type MappingTargetPath,
  mappingTargets,
  recordsPathOf,
  type SampleField,
  suggestedFields,
  valueAt,
} from '@parapet/contract/rules/eventMapping.ts';

export type MappedField = EventMapping['fields'][number];

export interface ReadSample {
  /** Steps to the list of records in the sample. */
  records: string[];
  record: unknown;
  fields: SampleField[];
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** The first record of a sample; undefined while the text can’t be read. Paths as in `records`, or as the sample suggests. */
export function readSample(text: string, records?: readonly string[]): ReadSample | undefined {
  const whole = parsed(text);
  if (typeof whole !== 'object' || whole === null) return undefined;
  const path = [...(records ?? recordsPathOf(whole))];
  const record = Array.isArray(whole) ? whole[0] : firstOf(path.length === 0 ? whole : valueAt(whole, path));
  if (typeof record !== 'object' || record === null) return undefined;
  return { records: path, record, fields: fieldsOfSample(record) };
}

/** JSON, or its first line. */
function parsed(text: string): unknown {
  for (const part of [text, text.trim().split('\n', 1)[0] ?? '']) {
    try {
      return JSON.parse(part);
    } catch {
      // The next form.
    }
  }
  return undefined;
}

export const isSamePath = (a: FieldPath | undefined, b: FieldPath): boolean =>
  a !== undefined && a.length === b.length && a.every((step, at) => step === b[at]);

export const targetOf = (fields: readonly MappedField[], path: FieldPath): MappingTargetPath | undefined =>
  fields.find(({ from }) => isSamePath(from, path))?.to;

/** Maps a field of the sample to a target, or to none; a target that was filled otherwise is filled by this field now. */
export function assign(fields: readonly MappedField[], path: FieldPath, to: MappingTargetPath | undefined): MappedField[] {
  const others = fields.filter((field) => field.to !== to && !isSamePath(field.from, path));
  return to === undefined ? others : inOrder([...others, { to, from: [...path] }]);
}

/** A fixed value for a target; an empty one removes it. */
export function fix(fields: readonly MappedField[], to: MappingTargetPath, value: string): MappedField[] {
  const others = fields.filter((field) => field.to !== to);
  return value.trim() === '' ? others : inOrder([...others, { to, value }]);
}

export const fixedOf = (fields: readonly MappedField[], to: MappingTargetPath): string =>
  fields.find((field) => field.to === to)?.value ?? '';

const order = Object.keys(mappingTargets);
const inOrder = (fields: MappedField[]): MappedField[] => fields.toSorted((a, b) => order.indexOf(a.to) - order.indexOf(b.to));

/** Mapping that a sample suggests, under a namespace. */
export function suggestedMapping(text: string, namespace: string): EventMapping | undefined {
  const sample = readSample(text);
  return sample && { namespace, records: sample.records, fields: inOrder(suggestedFields(sample.record)) };
}

/** Namespace from a name: “Acme WAF” → acme_waf. */
export const namespaceOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 30)
    .replace(/_+$/, '');

/** Mapped paths that the sample lacks: of another kind of event, or of an older form of it. */
export const absentIn = (fields: readonly MappedField[], sample: ReadSample | undefined): MappedField[] =>
  fields.filter(({ from }) => from !== undefined && !sample?.fields.some(({ path }) => isSamePath(from, path)));
