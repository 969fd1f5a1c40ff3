/** Numbers and comparisons of a reading: "more than 3 alerts", "older than a week", "medium or higher". */
import {
  type QueryComparison,
  type QueryEntity,
  type QueryTime,
  queryBuckets,
  queryPers,
} from '@parapet/contract/rules/query.ts';
import { bridgeOf, isCountedOf } from './distinct.ts';
import { areRelated, type Joiner, unitOf } from './frames.ts';

import type { Option } from './items.ts';
import { Persons } from './persons.ts';
import type { Segment } from './segments.ts';

export abstract class Counting extends Persons {
  /** "Isolated for more than a day": since when is not kept. */
  private isOfState(): boolean {
    const conditions = [...this.head.conditions, ...this.pre.flatMap(({ option }) => option)];
    return this.out.head === 'device' && conditions.some(({ field }) => field === 'isIsolated' || field === 'isProtected');
  }

  /** "Risk score above 500": an attribute of the head rather than records. */
  protected isCompared({ items }: Segment): boolean {
    const own = items.attribute?.options.find(({ entity }) => entity === this.out.head);
    return (
      own !== undefined &&
      this.next()?.items.compare !== undefined &&
      unitOf(this.schemas[own.entity].attributes[own.field]) !== undefined
    );
  }

  /** "Closed last month" is the time alone; "failed last month" is a state at the time of the last change. */
  protected isOnlyVerb({ items }: Segment): boolean {
    const led = [...(items.verb?.options ?? []), ...(items.value?.verbs ?? [])].find(({ entity }) => entity === this.out.head);
    return items.verb !== undefined && this.leadsTime() && led?.field !== 'changedTime';
  }

  /** A condition concerns the noun just taken. */
  protected modifies(): boolean {
    const next = this.segments[this.at + 1]?.items;
    return (
      next !== undefined &&
      (next.that ?? next.have ?? next.value ?? next.verb ?? next.time ?? next.preposition ?? next.not) !== undefined
    );
  }

  protected takeJoiner(joiner: Joiner, isComma: boolean): boolean {
    this.endNegation();
    this.isAfterComma = isComma && (this.joiner === 'next' || this.isAfterComma);
    this.joiner = joiner;
    // "With critical findings and open cases"
    if (!isComma && this.current !== this.head) this.glue = 'have';
    // "Opened today or overdue": no alternative to a time.
    const next = this.segments[this.at + 1]?.items;
    const before = this.segments[this.at - 1];
    if (joiner === 'or' && before?.items.time && next && !next.time) this.out.left.push('or');
    // "New or escalated": a time is no alternative to a state.
    if (joiner === 'or' && this.verb && before?.items.verb && next?.value && !next.verb) this.out.left.push(this.verb.text);
    return true;
  }

  protected takeGlue(glue: 'have' | 'preposition' | 'that'): boolean {
    if (glue === 'that' && !this.out.isHeadSaid) return true;
    if (glue !== 'that' || this.glue === undefined) this.glue = glue;
    // "The share of cases that are malicious": what follows is counted.
    const isSubjectSaid = this.out.isHeadSaid || this.pre.some(({ noun }) => noun !== undefined);
    if (this.out.measure === 'share' && isSubjectSaid && glue !== 'preposition') {
      this.flush();
      this.isOf = true;
    }
    if (glue === 'have') this.flush();
    return true;
  }

  protected takeComparison({ items, text }: Segment): boolean {
    // "Not talking to us for more than 3 days" negates no comparison.
    if (this.not && !this.segments[this.at - 1]?.items.not) return false;
    const { comparison, isAge = false } = items.compare!;
    this.flush();
    this.comparison = { comparison: this.not ? opposite[comparison] : comparison, isAge, text };
    this.not = undefined;
    return true;
  }

  /** "Medium or higher": the comparison follows its value. */
  protected takeAfter({ items }: Segment): boolean {
    const pending = this.pre.at(-1);
    if (!items.compare?.isAfter || !pending) return false;
    const ordered = pending.option.filter(({ entity, field }) => this.isOrdered(entity, field));
    if (ordered.length === 0) return false;
    pending.option = ordered.map((option) => compared(option, items.compare!.comparison));
    return true;
  }

  protected takeBetween(): boolean {
    const numbers = this.segments.slice(this.at + 1).findIndex(({ items }) => items.number);
    const second = this.segments.slice(this.at + numbers + 2).findIndex(({ items }) => items.number);
    if (numbers < 0 || second < 0) return false;
    const from = { ...this.segments[this.at + 1 + numbers]!.items.number! };
    const { items, text } = this.segments[this.at + numbers + 2 + second]!;
    const to = items.number!;
    // "Between 3 and 10 days": both are days.
    if (from.unit === undefined && to.unit === 'minutes') from.value *= to.value / Number.parseFloat(text);
    if (Number.isNaN(from.value)) return false;
    this.flush();
    const field = this.numericField(to.unit ?? from.unit, undefined);
    if (field === undefined) return false;
    for (const [comparison, value] of [
      ['>=', from.value],
      ['<=', to.value],
    ] as const)
      this.head.conditions.push({ field, filter: { field, compare: comparison, value }, isNegated: false });
    this.at += numbers + second + 2;
    return true;
  }

  protected takeNumber(segment: Segment): boolean {
    const { value, unit } = segment.items.number!;
    const next = this.segments[this.at + 1]?.items;
    const { comparison } = this.comparison ?? {};
    if (comparison) {
      const { isAge, text } = this.comparison!;
      this.comparison = undefined;
      // "Closed this week that had been open more than 10 days"
      const isOver =
        /open/.test(text) &&
        this.head.conditions.some(
          ({ field, filter }) => field === 'closedTime' || (field === 'isOpen' && 'is' in filter && !filter.is),
        );
      return this.compareNumber(comparison, value, unit, isOver ? 'took' : isAge ? 'age' : text);
    }
    if (next?.compare?.isAfter) {
      this.at++;
      return this.compareNumber(next.compare.comparison, value, unit, '');
    }
    if (unit === 'minutes' && value >= 60) return this.takeDuration(value);
    const before = this.segments[this.at - 1]?.items;
    const entity =
      before?.entity?.entity ??
      (before?.filler || before?.preposition ? this.segments[this.at - 2]?.items.entity?.entity : undefined);
    if (unit === undefined && entity === this.out.head && this.takeRecordNumber('number', value)) return true;
    if (this.attribute) return this.compareNumber('=', value, unit, '');
    if (unit === undefined && value <= 200 && value >= 1 && this.out.limit === undefined && this.isLimit()) {
      this.out.limit = value;
      return true;
    }
    return false;
  }

  /** "Top 5", "5 rules", "the 3 of them": a number beside what it limits. */
  private isLimit(): boolean {
    const before = this.segments[this.at - 1]?.items;
    const next = this.segments[this.at + 1]?.items;
    // "There are 4 problems" is no limit, nor is "I find 2".
    if (
      (before?.measure && before.measure.measure !== 'list') ||
      /^(?:there (?:are|were|is|was)|we have|we had)$/i.test(this.segments[this.at - 1]?.text ?? '')
    )
      return false;
    if (before?.superlative ?? (before?.measure && (next !== undefined || this.hasPrevious))) return true;
    return (
      next !== undefined &&
      (next.entity ?? next.value ?? next.superlative ?? next.anything ?? next.reference ?? next.attribute) !== undefined
    );
  }

  /** "Case 214", "emails of case 977": the number of a record, in an attribute of the head. */
  protected takeRecordNumber(field: string, value: number): boolean {
    const isNumber = this.schemas[this.out.head].attributes[field]?.type === 'number';
    // "The first alert of case 12", but "the top cases 5".
    if (!isNumber || (this.out.superlative && field === 'number') || this.isGroup || !Number.isInteger(value) || value < 1)
      return false;
    this.flush();
    this.put(this.head, { field, filter: { field, compare: '=', value }, isNegated: this.takeNot() });
    return true;
  }

  protected compareNumber(
    comparison: QueryComparison,
    value: number,
    unit: 'minutes' | 'percent' | undefined,
    text: string,
  ): boolean {
    const { attributes } = this.schemas[this.out.head];
    if (unit !== 'minutes' && this.compareRelated(comparison, value)) return true;
    const silence = ['silence', 'silentFor'].find((each) => attributes[each]);
    const isSilent = this.head.conditions.some((each) => each.field === 'state' || each.field === 'hasReported');
    const field =
      text === 'age' && (unit !== 'minutes' || (this.isOfState() && !isSilent))
        ? undefined
        : text === 'age' && silence !== undefined && isSilent
          ? silence
          : text === 'age' && attributes.age
            ? 'age'
            : this.numericField(unit, text);
    // A probability of 0.5 is 50%.
    if (field === 'epss' && unit === undefined && value <= 1) return this.compareNumber(comparison, value * 100, 'percent', text);
    if (field !== undefined) {
      this.put(this.head, { field, filter: { field, compare: comparison, value }, isNegated: this.takeNot() });
      return true;
    }
    // "More than 3 alerts", "over 5 open cases": related records are counted.
    const entity = unit === undefined ? this.countedAhead() : undefined;
    // "Days with more than 100 alerts", "analysts who closed more than 5 cases"
    if (entity === this.out.head && ['>', '>=', '='].includes(comparison) && this.hasGroups())
      return this.mark(() => (this.out.having = { compare: comparison, value }));
    if (entity === undefined || entity === this.out.head) return false;
    // "Rules that fired on more than 5 devices"
    const isBridged = ['>', '>=', '='].includes(comparison) && bridgeOf(this.schemas, this.out.frames, entity, this.out.head);
    if (!areRelated(this.schemas, this.out.head, entity) && !isBridged) return false;
    this.count = { entity, compare: comparison, value };
    return true;
  }

  /** Buckets, or persons: "who closed" is a column otherwise. */
  private hasGroups(): boolean {
    const { groups, shown, isWho } = this.out;
    if (groups.length === 0) groups.push(...shown.splice(0).filter(this.isPerson));
    return isWho || groups.some((field) => bucketFields.has(field) || this.isPerson(field));
  }

  /** "Devices with findings of CVSS 9 or more": an attribute of the related records that were named. */
  private compareRelated(comparison: QueryComparison, value: number): boolean {
    const { entity } = this.current;
    const isOfHead = this.attribute?.some((option) => option.entity === this.out.head);
    const own = entity === this.out.head || isOfHead ? undefined : this.attribute?.find((option) => option.entity === entity);
    if (!own || this.schemas[entity].attributes[own.field]?.type !== 'number') return false;
    this.attribute = undefined;
    const filter = { field: own.field, compare: comparison, value };
    return this.mark(() => this.put(this.current, { field: own.field, filter, isNegated: this.takeNot() }));
  }

  /** "Score above the average", "above the client average for open cases": the mean over all records in scope. */
  protected takeAboveAverage({ items }: Segment): boolean {
    const at = this.segments.findIndex(
      ({ items: own }, index) => index > this.at && (own.average ?? own.measure?.measure === 'mean'),
    );
    const between = at < 0 ? [] : this.segments.slice(this.at + 1, at);
    if (at < 0 || between.some((segment) => !segment.items.filler && !segment.items.preposition)) return false;
    // The mean of others is of clients.
    if (this.segments[at]!.items.average && this.out.head !== 'client') return false;
    const { comparison } = items.compare!;
    this.flush();
    const field = this.numericField(undefined, undefined) ?? this.numericAt(at);
    const entity = this.segments.slice(at + 1).find((segment) => segment.items.entity)?.items.entity?.entity;
    if (field !== undefined)
      this.put(this.head, {
        field,
        filter: { field, compare: comparison, value: 1, isOfAverage: true },
        isNegated: this.takeNot(),
      });
    else if (entity !== undefined && entity !== this.out.head && areRelated(this.schemas, this.out.head, entity))
      this.count = { entity, compare: comparison, value: 1, isOfAverage: true };
    else return false;
    this.at = Math.max(this.at, at);
    this.glue = 'have';
    return true;
  }

  /** A numeric attribute of the head beside the average. */
  private numericAt(at: number): string | undefined {
    const named = [this.segments[at + 1], this.segments[at + 2]].find((segment) => segment?.items.attribute);
    const own = named?.items.attribute?.options.find(
      ({ entity, field }) => entity === this.out.head && this.schemas[entity].attributes[field]?.type === 'number',
    );
    if (!own || !named) return undefined;
    this.at = this.segments.indexOf(named);
    return own.field;
  }

  /** The noun after its adjectives. */
  private countedAhead(): QueryEntity | undefined {
    for (const { items } of this.segments.slice(this.at + 1)) {
      const noun = items.entity?.entity ?? items.value?.noun;
      if (noun !== undefined) return noun;
      if (!(items.value ?? items.filler ?? items.superlative)) return undefined;
    }
    return undefined;
  }

  /** "30 days" is the time until now; with "expiring" the time from now. */
  protected takeDuration(minutes: number): boolean {
    const own = this.verb?.options.find(({ entity }) => entity === this.out.head);
    const length = minutes * 60_000;
    const isAhead = own && /until|end|expir/i.test(own.field);
    const [start, end] = isAhead ? [this.now, this.now + length] : [this.now - length, this.now];
    const words = minutes % 1440 === 0 ? `${minutes / 1440} days` : `${minutes / 60} hours`;
    return this.takeTime({
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
      label: `the ${isAhead ? 'next' : 'last'} ${words}`,
    });
  }

  /** The question has a measure alone. */
  protected isBare(): boolean {
    const { frames, groups, measure, superlative, isHeadSaid } = this.out;
    return (
      this.hasPrevious &&
      measure !== undefined &&
      frames.length === 1 &&
      this.head.conditions.length === 0 &&
      !this.head.time &&
      groups.length === 0 &&
      !superlative &&
      !isHeadSaid
    );
  }

  /** "The noisiest client this week": of its alerts. */
  private settleTime(time: QueryTime): void {
    const { superlative, head, left } = this.out;
    const counts = superlative && !superlative.isTime && superlative.field === undefined;
    if (counts && superlative.related === undefined && areRelated(this.schemas, head, 'alert')) superlative.related = 'alert';
    const { bridge } = this.out;
    const met = superlative?.related !== undefined && !isCountedOf(this.schemas, head, superlative.related);
    const named = counts ? superlative.related : undefined;
    const related = bridge?.entity ?? (met ? bridgeOf(this.schemas, this.out.frames, named ?? head, head)?.entity : named);
    if (related === undefined || this.schemas[related].time === undefined) left.push(time.label);
    else this.out.frames.push({ entity: related, conditions: [], time, isNegated: false });
  }

  /** "Average alerts per day": of the last 30 days, where no time is given. */
  private boundMean(): void {
    const { measure, measured, isDuration, groups, superlative } = this.out;
    const isPerTime = measure === 'mean' && groups.length === 1 && (queryPers as readonly string[]).includes(groups[0]!);
    const isOther = measured ?? superlative ?? this.stateVerb ?? this.verb;
    if (!isPerTime || isDuration || isOther !== undefined || this.hasPrevious || this.head.time) return;
    if (this.schemas[this.out.head].time !== undefined) this.takeDuration(30 * 1_440);
  }

  /** "Alerts compared to last month": of this month, where no other time is given. */
  private compareWithNow(): void {
    const { head, segments } = this;
    const [, unit] = /^last (week|month|quarter|year)$/.exec(head.time?.label ?? '') ?? [];
    const at = segments.findIndex(({ items }) => items.versus);
    const time = segments.slice(at + 1).find(({ items }) => !items.preposition && !items.filler)?.items.time;
    if (!unit || at < 0 || !time || this.hasPrevious || !this.out.isCompared || this.out.times.length > 0) return;
    this.out.times = [head.time!];
    // "Cases closed compared to last month": closed in both.
    if (this.stateVerb !== this.schemas[head.entity].time) this.out.comparedState ??= this.stateVerb;
    head.time = { start: head.time!.end, end: new Date(this.now).toISOString(), label: `this ${unit} so far` };
  }

  /** Settles items that still wait at the end, without a place. */
  protected settle(): void {
    this.boundMean();
    this.compareWithNow();
    this.out.stateTime ??= this.stateVerb;
    this.settlePersons();
    if (this.waiting) this.settleTime(this.waiting);
    if (this.count) this.out.left.push(String(this.count.value));
    if (this.not) this.out.isElliptic = this.isBare() && !this.not.isExcept;
    if (this.not && !this.out.isElliptic) this.out.left.push('not');
    if (this.comparison) this.out.left.push(this.comparison.text);
    if (this.isGroup) this.out.left.push('by');
    if (this.attribute && !this.verb) this.out.left.push('attribute');
    if (this.verb) {
      const own = this.verb.options.find(({ entity }) => entity === this.out.head);
      const { superlative } = this.out;
      // "The last report sent": by that time.
      if (own && superlative?.isTime && superlative.field === undefined && this.schemas[this.out.head].time !== own.field)
        superlative.field = own.field;
      // "When was it last scanned"
      else if (own && own.field !== this.schemas[this.out.head].time && /^when\b/i.test(this.segments[0]?.text ?? ''))
        this.out.shown.push(own.field);
      else if (!own || !(own.field === this.schemas[this.out.head].time || this.out.isWho || isBeginning.test(own.field)))
        this.out.left.push(this.verb.text);
    }
    if (!this.out.isHeadSaid) this.out.cost += 2;
  }
}

/** Times when a record came to be: without a time, such a verb expresses existence only. */
const isBeginning = /^(?:created|requested|enrolled|received|raised|firstSeen)|^at$/;

const bucketFields: ReadonlySet<string> = new Set(queryBuckets);

const opposite: Record<QueryComparison, QueryComparison> = { '=': '=', '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
/** The option as a comparison with its value. */
export const compared = (option: Option, comparison: QueryComparison): Option => {
  const value = 'in' in option.filter ? String(option.filter.in[0]) : '';
  return { ...option, filter: { field: option.field, compare: comparison, value } };
};
