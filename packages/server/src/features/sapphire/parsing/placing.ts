/** The state of a reading while it is composed: frames, and the words that wait for their place. */
import type { QueryComparison, QueryEntity, QueryTime } from '@parapet/contract/rules/query.ts';
import type { Composed, Pending } from './composed.ts';
import {
  addCondition,
  areRelated,
  type Condition,
  type Frame,
  type Joiner,
  namesOf,
  optionOf,
  type Schemas,
  unitOf,
} from './frames.ts';
import type { Named, Option } from './items.ts';
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

  protected wasNegated = false;

  /** Of "closed cases in October": the time of that state. */
  protected stateVerb: string | undefined;

  protected last: Condition | undefined;

  /** How many of the related records that are said next. */
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
      superlative: undefined,
      isOrder: false,
      limit: undefined,
      shown: [],
      times: [],
      areTimesJoined: false,
      isCompared: false,
      isAverage: false,
      isEach: false,
      isTrend: false,
      stateTime: undefined,
      hasTimeVerb: false,
      isGroupPlural: false,
      isWho: false,
      whoVerb: undefined,
      reference: undefined,
      isElliptic: false,
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
    // "Alerts seen last week" happened then; "seen alerts" were looked at.
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

  /** The attribute that a number concerns: the one said before it or after it, or by its unit. */
  protected numericField(unit: 'minutes' | 'percent' | undefined, text: string | undefined): string | undefined {
    const { attributes } = this.schemas[this.out.head];
    const isNumber = (field: string) =>
      attributes[field]?.type === 'number' && (unit !== 'minutes' || unitOf(attributes[field]) === 'minutes');
    const said = this.attribute?.find(({ entity, field }) => entity === this.out.head && isNumber(field))?.field;
    if (said !== undefined) {
      this.attribute = undefined;
      return said;
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
    if (unit === 'minutes')
      return (/took|take/.test(text ?? '') || (this.stateVerb === 'closedTime' && text !== 'age')) && attributes.timeToClose
        ? 'timeToClose'
        : attributes.silence && text !== 'age'
          ? 'silence'
          : attributes.age
            ? 'age'
            : undefined;
    return undefined;
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
    return (
      hasMost &&
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
    if (entity === 'account') return Object.keys(attributes).find((field) => namesOf(attributes[field]) === 'account');
    return attributes[entity] ? entity : Object.keys(attributes).find((field) => namesOf(attributes[field]) === entity);
  }

  /** "By alerts": the head’s own number of them. */
  protected countField(entity: QueryEntity): string | undefined {
    const { attributes } = this.schemas[this.out.head];
    const words = this.schemas[entity].words;
    return Object.keys(attributes).find(
      (field) => attributes[field]!.type === 'number' && attributes[field]!.words.some((word) => words.includes(word)),
    );
  }

  private takeCount(of: QueryEntity): Pick<Frame, 'count'> {
    if (this.count?.entity !== of) return {};
    const { compare, value } = this.count;
    this.count = undefined;
    return { count: { compare, value } };
  }

  protected relate(entity: QueryEntity): void {
    // "Clients except Alder with alerts": the exclusion is the head's.
    if (this.pre[0]?.isExcept && optionOf(this.pre[0].option, this.out.head, [])) this.flush();
    const [first] = this.pre;
    const not = this.not ?? (first?.isNegated && first.isStrong ? { isExcept: first.isExcept } : undefined);
    if (first?.isNegated && first.isStrong) first.isNegated = false;
    this.not = undefined;
    this.current = { entity, conditions: [], isNegated: not !== undefined, ...this.takeCount(entity) };
    this.out.frames.push(this.current);
    this.giveTime();
    this.flush();
    this.glue = undefined;
  }

  /** A time that the head has not is of the related records that are said next. */
  protected giveTime(): void {
    if (this.waiting === undefined || this.schemas[this.current.entity].time === undefined) return;
    this.current.time = this.waiting;
    this.waiting = undefined;
  }

  protected put(
    frame: Frame,
    condition: Condition,
    isNegated = condition.isNegated,
    joiner: Joiner = 'next',
    isExcept = false,
  ): void {
    const whole = { ...condition, isNegated };
    this.last = whole;
    addCondition(this.isOf && frame === this.head ? this.counted : frame, whole, joiner, isExcept);
  }

  /** What a share counts, as a frame. */
  private get counted(): Frame {
    return { entity: this.out.head, conditions: this.out.of, isNegated: false };
  }

  /** Gives the values that wait for their noun to the nearest frame that has such an attribute. */
  protected flush(): void {
    const waiting = this.pre;
    this.pre = [];
    for (const { option, label, noun, isNegated, isStrong, joiner, isExcept, fields } of waiting) {
      const frames = [this.current, this.head, ...[...this.out.frames].reverse()];
      const frame = frames.find(({ entity }) => optionOf(option, entity, fields) !== undefined);
      if (noun === this.out.head) this.out.isHeadSaid = true;
      if (frame) {
        const { field, filter } = optionOf(option, frame.entity, fields)!;
        if (frame !== this.current) this.out.cost += 0.2;
        // "Seen at Birch, not at Alder": alerts of the one and none of the other.
        if (isNegated && frame !== this.head && frame.conditions.some((each) => each.field === field && !each.isNegated))
          this.out.frames.push({ ...frame, conditions: [{ field, filter, isNegated: false }], isNegated: true });
        else
          this.put(
            frame,
            { field, filter, isNegated, ...(noun === this.out.head && { isNoun: true }) },
            isNegated,
            joiner,
            isExcept,
          );
      } else if (
        noun !== undefined &&
        noun !== 'account' &&
        optionOf(option, noun, fields) &&
        areRelated(this.schemas, this.out.head, noun)
      ) {
        const { field, filter } = optionOf(option, noun, fields)!;
        this.out.cost += 0.2;
        this.current = { entity: noun, conditions: [{ field, filter, isNegated: false }], isNegated, ...this.takeCount(noun) };
        this.out.frames.push(this.current);
        this.giveTime();
      } else if (['rule', 'technique', 'tactic', 'user'].includes(this.out.head) && optionOf(option, 'alert', fields)) {
        // "Top techniques at Cedar": of the alerts in which they occur.
        const { field, filter } = optionOf(option, 'alert', fields)!;
        // "Seen zero of at Birch" denies the alerts, not the client.
        if (isNegated && isStrong && !isExcept) this.out.left.push('not');
        this.alerts().conditions.push({ field, filter, isNegated });
      } else if (!this.relateValue(option, isNegated)) this.out.left.push(label);
    }
  }

  /** "Devices running winlogbeat": a value of one other entity alone is of related records; asked back. */
  private relateValue(options: readonly Option[], isNegated: boolean): boolean {
    const [first] = options;
    const isOne = first && !isNegated && options.every(({ entity }) => entity === first.entity);
    if (!isOne || !areRelated(this.schemas, this.out.head, first.entity)) return false;
    Object.assign(this.out, { isGuess: true, cost: this.out.cost + 2 });
    this.out.frames.push({
      entity: first.entity,
      conditions: [{ field: first.field, filter: first.filter, isNegated }],
      isNegated,
    });
    return true;
  }

  private alerts(): Frame {
    const known = this.out.frames.slice(1).find(({ entity, isNegated }) => entity === 'alert' && !isNegated);
    if (known) return known;
    const made: Frame = { entity: 'alert', conditions: [], isNegated: false };
    this.out.frames.push(made);
    return made;
  }
}
