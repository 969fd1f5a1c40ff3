/** "Both at Alder and at Birch": of records that can have several, those that have each. */
import type { Composed } from './composed.ts';
import type { Condition, Frame, Schemas } from './frames.ts';
import type { Segment } from './segments.ts';

const valuesOf = ({ filter }: Condition) => ('in' in filter ? filter.in : []);

/** One condition for each value. */
const divided = (condition: Condition): Condition[] =>
  valuesOf(condition).map((value) => ({ ...condition, filter: { field: condition.field, in: [value] } }));

/**
 * Values of `fields` that stood after "both". Related records of each are required, and each value of an attribute with several; a vulnerability
 * (`isOfCves`) is found in each. Records with one value are of either.
 */
function requireBoth(out: Composed, schemas: Schemas, fields: ReadonlySet<string>, isOfCves: boolean): void {
  const isBoth = (each: Condition): boolean => fields.has(each.field) && !each.isNegated && valuesOf(each).length > 1;
  const [head, ...related] = out.frames as [Frame, ...Frame[]];
  const frames = related.flatMap((frame): Frame[] => {
    const both = frame.conditions.find(isBoth);
    if (!both || frame.isNegated || frame.count) return [frame];
    return divided(both).map((one) => ({ ...frame, conditions: frame.conditions.map((each) => (each === both ? one : each)) }));
  });
  out.frames = [head, ...frames];
  // "Both yesterday and today"
  const timed = frames.at(-1);
  if (fields.has(ofTimes) && timed?.time && !timed.isNegated && out.areTimesJoined)
    out.frames.push(...out.times.splice(0).map((time) => ({ ...timed, time })));
  const isMany = ({ field }: Condition): boolean => schemas[head.entity].attributes[field]?.type === 'names';
  const both = head.conditions.find(isBoth);
  if (!both) return;
  if (isMany(both)) head.conditions = head.conditions.flatMap((each) => (each === both ? divided(each) : [each]));
  else if (isOfCves && out.groups.length === 0 && out.distinct === undefined)
    Object.assign(out, {
      groups: ['cve'],
      distinct: both.field,
      having: { compare: '>=', value: valuesOf(both).length },
    } satisfies Partial<Composed>);
}

/** "CVEs at Alder but not at Birch": each finding is at one client, so that the denial would deny nothing. */
const isIdleDenial = ({ conditions }: Frame): boolean =>
  conditions.some(
    (denied) =>
      denied.isNegated && conditions.some((each) => each.field === denied.field && !each.isNegated && 'in' in each.filter),
  );

/** In place of attributes: times stood after "both". */
export const ofTimes = 'times';

/** Gives the values after "both" their conditions; `fields` are the attributes of the first. */
export function settleBoth(
  out: Composed,
  schemas: Schemas,
  segments: readonly Segment[],
  fields: ReadonlySet<string> | undefined,
): void {
  const isOfCves = segments.some(({ items, text }) => items.entity?.entity === 'vulnerability' && /^(?:cve|vuln)/i.test(text));
  if (isOfCves && out.head === 'vulnerability' && isIdleDenial(out.frames[0]!)) out.left.push('not');
  if (fields) requireBoth(out, schemas, fields, isOfCves);
}
