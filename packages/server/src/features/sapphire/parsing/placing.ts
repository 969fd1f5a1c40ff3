/** The state of a reading while it is composed: frames, and the words that wait for their place. */
import type { QueryComparison, QueryEntity, QueryTime } from '@parapet/contract/rules/query.ts';
import type { Composed, Pending } from './composed.ts';
import { type Condition, type Frame, type Joiner, namesOf, type Schemas, unitOf } from './frames.ts';
import type { Named } from './items.ts';
import type { Segment } from './segments.ts';

const contentless = new Set(['filler', 'preposition', 'that', 'comma', 'which']);

/** Finds the place of what {@link Composer} takes. */
export abstract class Placing {
  protected readonly segments: readonly Segment[];

  protected readonly schemas: Schemas;

  protected readonly now: number;

  protected readonly hasPrevious: boolean;

  readonly out: Composed;

  protected at = 0;

  protected current: Frame;

  protected pre: Pending[] = [];

  protected not: { isExcept: boolean; isStrong: boolean } | undefined;

  protected sticky: { isExcept: boolean; field: string } | undefined;

  protected joiner: Joiner = 'next';

  /** The joiner is a comma alone. */
  protected isAfterComma = false;

  protected comparison: { comparison: QueryComparison; isAge: boolean; text: string } | undefined;

  protected attribute: Named[] | undefined;

  protected verb: { options: Named[]; text: string } | undefined;

  protected isGroup = false;

  /** "Sorted by": an order, if what follows has one. */
  protected isSort = false;

  /** Place of the last noun that was grouped by. */
  protected groupAt: number | undefined;

  protected glue: 'have' | 'preposition' | 'that' | undefined;

  protected isOf = false;

  protected isHeadPlural = false;

  /** The last "no" is of having: "had no", "there were no". */
  protected isHaving = false;

  protected wasNegated = false;

  /** The next value stands after "only" and its noun. */
  protected isOnly = false;

  /** Of "closed cases in October": the time of that state. */
  protected stateVerb: string | undefined;

  protected last: Condition | undefined;

  /** Count of the related records that follow. */
  protected count: ({ entity: QueryEntity } & NonNullable<Frame['count']>) | undefined;

  /** A time before the records that it is of: "which client last week had most alerts". */
  protected waiting: QueryTime | undefined;

  constructor(
    segments: readonly Segment[],
    head: QueryEntity,
    schemas: Schemas,
    now: number,
    hasPrevious: boolean,
    isHeadKnown = false,
  ) {
    this.hasPrevious = hasPrevious;
    this.segments = segments;
    this.schemas = schemas;
    this.now = now;
    this.current = { entity: head, conditions: [], isNegated: false };
    this.out = {
      head,
      frames: [this.current],
      of: [],
      measure: undefined,
      measured: undefined,
      isDuration: false,
      groups: [],
      distinct: undefined,
      isDistinct: false,
      bridge: undefined,
      superlative: undefined,
      isOrder: false,
      limit: undefined,
      shown: [],
      times: [],
      areTimesJoined: false,
      isCompared: false,
      isAverage: false,
      isCombined: false,
      isUniversal: false,
      comparedWith: undefined,
      isEach: false,
      isGroupSaid: false,
      isTrend: false,
      stateTime: undefined,
      comparedState: undefined,
      hasTimeVerb: false,
      isGroupPlural: false,
      isWho: false,
      whoVerb: undefined,
      reference: undefined,
      isElliptic: false,
      isPastOpen: false,
      isAlphabetic: false,
      having: undefined,
      isGuess: false,
      left: [],
      cost: 0,
      isHeadSaid: isHeadKnown,
    };
  }

  protected get head(): Frame {
    return this.out.frames[0]!;
  }

  /** The next segment with content, from the current one. */
  protected next(from = this.at): Segment | undefined {
    for (let at = from + 1; at < this.segments.length; at++)
      if (!Object.keys(this.segments[at]!.items).every((kind) => contentless.has(kind))) return this.segments[at];
    return undefined;
  }

  /** "On" is a preposition, unless the subject can be on or off. */
  protected isOnlyGrammar({ items, text }: Segment): boolean {
    const next = this.segments[this.at + 1]?.items;
    // "Alerts seen last week" happened then; "seen alerts" were viewed.
    if (/^seen$/i.test(text) && !this.not && this.out.isHeadSaid && (next?.time ?? next?.preposition)) return true;
    const hasOther = (items.filler ?? items.preposition ?? items.that ?? items.have ?? items.measure) !== undefined;
    return hasOther && !items.value!.options.some(({ entity }) => this.out.frames.some((frame) => frame.entity === entity));
  }

  /** A word that is a noun as well ("agent") is a value only beside its attribute: "source agent". */
  protected isConfirmedValue({ items }: Segment): boolean {
    if (!items.value) return false;
    const fields = new Set(items.value.options.map(({ field }) => field));
    const beside = [this.segments[this.at - 1], this.segments[this.at + 1]];
    return beside.some((segment) =>
      segment?.items.attribute?.options.some(({ entity, field }) => entity === this.out.head && fields.has(field)),
    );
  }

  protected mark(change: () => unknown): true {
    change();
    return true;
  }

  /** "That" and "it" refer only if there is a question before; "those that" does not. */
  protected isReference({ items, text }: Segment): boolean {
    if (!items.that && !items.filler) return true;
    const isLast = this.at === this.segments.length - 1 && /^(?:that|it|this)$/i.test(text);
    return this.hasPrevious && (isLast || (!this.out.isHeadSaid && (this.at === 0 || !items.that)));
  }

  /** A "not" must find what it negates before the next part begins. */
  protected endNegation(): void {
    if (this.not && !this.not.isExcept && this.at > 0 && !this.segments[this.at - 1]!.items.not) {
      this.out.left.push('not');
      this.not = undefined;
    }
  }

  protected negate(isExcept: boolean, isStrong: boolean): void {
    if (this.not && !isExcept) this.out.left.push('not');
    this.wasNegated = true;
    if (this.not === undefined || isExcept) this.not = { isExcept, isStrong };
  }

  protected isOrdered(entity: QueryEntity, field: string): boolean {
    const attribute = this.schemas[entity].attributes[field];
    return attribute?.type === 'choice' && attribute.isOrdered === true && field !== 'weekday';
  }

  protected leadsTime(): boolean {
    return this.next()?.items.time !== undefined;
  }

  protected leadsGroup(next: Segment['items'] | undefined): boolean {
    return next !== undefined && (next.entity ?? next.attribute ?? next.bucket) !== undefined && next.number === undefined;
  }

  /** "By status and severity". */
  protected continuesGroup(): boolean {
    return this.groupAt === this.at - 2 && this.segments[this.at - 1]!.items.and !== undefined;
  }

  /** The time attribute of the head that a participle leads. */
  protected timeOfVerb(participle: string | undefined): string | undefined {
    const { attributes } = this.schemas[this.out.head];
    return Object.keys(attributes).find((field) => {
      const attribute = attributes[field]!;
      return participle !== undefined && attribute.type === 'time' && attribute.verbs?.includes(participle.toLowerCase());
    });
  }

  /** Attribute of a number: the one before it or after it, or by its unit. */
  protected numericField(unit: 'minutes' | 'percent' | undefined, text: string | undefined): string | undefined {
    const { attributes } = this.schemas[this.out.head];
    const isNumber = (field: string) =>
      attributes[field]?.type === 'number' && (unit !== 'minutes' || unitOf(attributes[field]) === 'minutes');
    const numberField = this.attribute?.find(({ entity, field }) => entity === this.out.head && isNumber(field))?.field;
    if (numberField !== undefined) {
      this.attribute = undefined;
      return numberField;
    }
    const next = this.next()?.items.attribute?.options.find(({ entity, field }) => entity === this.out.head && isNumber(field));
    if (next && (unit !== 'minutes' || unitOf(attributes[next.field]) === 'minutes')) {
      this.skipTo('attribute');
      return next.field;
    }
    if (unit === 'percent')
      return attributes.percentage
        ? 'percentage'
        : Object.keys(attributes).find((field) => unitOf(attributes[field]) === 'percent');
    return unit === 'minutes' ? this.minutesField(text ?? '') : undefined;
  }

  /** The duration or age that a length without an attribute concerns. */
  private minutesField(text: string): string | undefined {
    const { attributes } = this.schemas[this.out.head];
    // "Acknowledged in less than an hour" is how long that took.
    const isTaken = this.head.conditions.some(({ field, isNegated }) => field === 'isAcknowledged' && !isNegated);
    if (/^(?:in|inside|within)\b/i.test(text) && this.stateVerb !== 'closedTime')
      return isTaken ? 'timeToAcknowledge' : undefined;
    const isClosing = /took|take/.test(text) || (this.stateVerb === 'closedTime' && text !== 'age');
    if (isClosing && attributes.timeToClose) return 'timeToClose';
    if (/took|take/.test(text) && attributes.duration) return 'duration';
    if (attributes.silence && text !== 'age') return 'silence';
    return attributes.age ? 'age' : undefined;
  }

  protected skipTo(kind: 'attribute' | 'entity'): void {
    for (let at = this.at + 1; at < this.segments.length; at++)
      if (this.segments[at]!.items[kind]) {
        this.at = at;
        return;
      }
  }

  protected takeNot(): boolean {
    const isNegated = this.not !== undefined;
    this.not = undefined;
    return isNegated;
  }

  protected frameOf = (entity: QueryEntity): Frame => (this.current.entity === entity ? this.current : this.head);

  protected valueFollows(field: string): boolean {
    return this.next()?.items.value?.options.some((option) => option.field === field) === true;
  }

  /** "Which device had the most alerts": the noun before the counted one. */
  protected asksForGroup(entity: QueryEntity): boolean {
    const later = this.segments.slice(this.at + 1);
    const hasMost =
      later.some(({ items }) => items.superlative && !items.superlative.options) || this.out.superlative !== undefined;
    // "Analysts who closed more than 5 cases"
    const isBound =
      entity === 'account' && later.some(({ items }, at) => items.compare && later[at + 1]?.items.number?.unit === undefined);
    return (
      (hasMost || isBound) &&
      this.groupField(entity) !== undefined &&
      this.pre.length === 0 &&
      later.some(
        ({ items }) =>
          items.entity?.entity === this.out.head ||
          // "Which client has the longest mean time to close"
          items.attribute?.options.some(
            ({ entity: own, field }) => own === this.out.head && unitOf(this.schemas[own].attributes[field]) === 'minutes',
          ),
      )
    );
  }

  protected groupField(entity: QueryEntity): string | undefined {
    const { attributes } = this.schemas[this.out.head];
    if (entity === 'account' || (entity === 'user' && !Object.values(attributes).some((each) => namesOf(each) === 'user')))
      return Object.keys(attributes).find((field) => namesOf(attributes[field]) === 'account');
    return attributes[entity] ? entity : Object.keys(attributes).find((field) => namesOf(attributes[field]) === entity);
  }

  /** "By alerts": the head’s own number of them. */
  protected countField(entity: QueryEntity): string | undefined {
    const { attributes } = this.schemas[this.out.head];
    const words = this.schemas[entity].words;
    // Rules are called detections, as alerts are: no number of alerts.
    const isOfOther = (own: readonly string[]) =>
      !own.includes(words[0]!) &&
      Object.values(this.schemas).some((other) => other.entity !== entity && own.includes(other.words[0]!));
    return Object.keys(attributes).find((field) => {
      const { type, words: own } = attributes[field]!;
      return type === 'number' && own.some((word) => words.includes(word)) && !isOfOther(own);
    });
  }
}
