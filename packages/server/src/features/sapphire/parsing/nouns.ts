/** Nouns of a reading: the records that it is about, what it divides them by, and related records. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import type { Attribute } from '../../../domain/query/schema.ts';
import { plainSuperlative } from './composed.ts';
import { Counting } from './counting.ts';
import { bridgeOf, isCountedOf } from './distinct.ts';
import { areRelated, homonyms } from './frames.ts';
import type { Named } from './items.ts';
import type { Segment } from './segments.ts';

export abstract class Nouns extends Counting {
  /** "Alerts and devices": a list of its own, no column. */
  protected beginsAnew({ items, isPlural }: Segment): boolean {
    const before = this.segments[this.at - 1]?.items;
    const isJoined =
      before !== undefined && (before.and ?? before.comma) !== undefined && !this.isGroup && !this.continuesGroup();
    // "Cases and responses"
    const isFirst = !this.out.isHeadSaid && !this.isGroup && this.segments[this.at + 1]?.items.and !== undefined;
    return (
      (isJoined || isFirst || (this.out.isHeadSaid && this.isBesides())) &&
      isPlural &&
      items.entity !== undefined &&
      items.entity.entity !== this.out.head
    );
  }

  protected takeEntity(segment: Segment, named: QueryEntity): boolean {
    const { head } = this.out;
    const beside = this.segments[this.at + 1]?.items.number;
    if (named !== head && beside && beside.unit === undefined && this.takeRecordNumber(named, beside.value))
      return this.mark(() => this.at++);
    const entity = homonyms[named]?.includes(head) ? head : named;
    const isGroup = this.isGroup || (!segment.isPlural && this.continuesGroup());
    if (isGroup || (entity !== head && !this.out.isHeadSaid && this.asksForGroup(entity))) return this.groupBy(entity, segment);
    if (entity === head) return this.takeHead(segment);
    const { superlative } = this.out;
    if (superlative && !superlative.isTime && superlative.field === undefined && superlative.related === undefined) {
      const counted = this.countField(entity);
      if (counted !== undefined && this.pre.length === 0) superlative.field = counted;
      else superlative.related = entity;
      // "Top analysts by closed cases": closed are the cases.
      const areTheirs = this.pre.length > 0 && this.pre.every(({ option }) => option.some((each) => each.entity === entity));
      if (areTheirs && areRelated(this.schemas, head, entity)) this.relate(entity);
      return true;
    }
    return this.takeBound(entity) || (areRelated(this.schemas, head, entity) && this.takeRelated(segment, entity));
  }

  /** "Rules that fired on more than 5 devices": a bound of the records in which they meet. */
  private takeBound(entity: QueryEntity): boolean {
    const { head, frames } = this.out;
    if (this.count?.entity !== entity || isCountedOf(this.schemas, head, entity)) return false;
    const bridge = bridgeOf(this.schemas, frames, entity, head);
    if (!bridge || this.pre.length > 0 || this.not || this.out.bridge || this.count.isOfAverage) return false;
    const { compare, value } = this.count;
    this.count = undefined;
    return this.mark(() => Object.assign(this.out, { having: { compare, value }, bridge }));
  }

  /** "Different users": records differ; of findings the vulnerabilities do, and of an attribute its values. */
  protected takeDistinct(): boolean {
    const next = this.next();
    const { entity, value, attribute } = next?.items ?? {};
    const { head, superlative, measure } = this.out;
    if (next && measure === 'count' && this.takePersons(next)) return this.mark(() => (this.at = this.segments.indexOf(next)));
    const noun = entity?.entity ?? value?.noun;
    const own = attribute?.options.find((option) => option.entity === head);
    if (noun === 'vulnerability' && noun === head) return this.mark(() => (this.out.distinct = 'cve'));
    if (noun !== undefined && (noun === head || homonyms[noun]?.includes(head) || superlative || this.isGroup))
      return this.mark(() => (this.out.isDistinct = true));
    if (noun !== undefined || !own || this.out.distinct !== undefined) return false;
    this.skipTo('attribute');
    this.out.isHeadSaid ||= this.out.measure === 'count';
    return this.mark(() => (this.out.distinct = own.field));
  }

  /** "Fired on the most servers": their number. */
  protected orderByNoun(noun: QueryEntity | undefined): void {
    const { superlative, head } = this.out;
    const isMostOf = this.segments[this.at - 1]?.items.superlative !== undefined && superlative?.field === undefined;
    if (!superlative || !isMostOf || noun === undefined || noun === head || this.next()?.items.entity) return;
    if (!isCountedOf(this.schemas, head, noun)) superlative.related ??= noun;
  }

  protected takeVerb(options: Named[], text: string): boolean {
    this.flush();
    this.verb = { options, text };
    this.out.whoVerb = text.toLowerCase();
    return true;
  }

  private groupBy(entity: QueryEntity, segment: Segment): boolean {
    const field = this.groupField(entity);
    // "How many techniques per client": in the alerts of each.
    if (field === undefined || (entity === 'vulnerability' && this.out.head === 'device')) {
      const bridge = bridgeOf(this.schemas, this.out.frames, this.out.head, entity);
      // "The most alerts per device": not the different devices.
      if (!bridge || this.out.bridge || this.out.superlative?.related !== undefined) return false;
      this.isGroup = false;
      return this.mark(() => (this.out.bridge = bridge));
    }
    // By itself: each record is one.
    if (entity === this.out.head) return false;
    this.isGroup = false;
    this.groupAt = this.at;
    if (!this.out.groups.includes(field)) this.out.groups.push(field);
    // "Which of my clients has the most": one.
    this.out.isGroupPlural = segment.isPlural && !/\bof\b/i.test(this.segments[this.at - 1]?.text ?? '');
    return true;
  }

  private takeHead(segment: Segment): boolean {
    const wasSaid = this.out.isHeadSaid;
    // "Critical alerts of Birch and high alerts of Cedar": two lists.
    const isAgain = this.isBesides() || this.segments[this.at - 1]?.items.and !== undefined;
    if (wasSaid && isAgain && this.joiner === 'and') return false;
    // "How many alerts are attacks": the noun would narrow nothing.
    if (wasSaid && this.pre.length === 0 && /^(?:is|are|was|were)$/i.test(this.segments[this.at - 1]?.text ?? '')) return false;
    if (this.out.superlative) this.out.superlative.isPlural = segment.isPlural;
    this.out.isHeadSaid = true;
    const isOneOf =
      /\bof\b/i.test(this.segments[this.at - 1]?.text ?? '') &&
      !/^(?:are|have|were|do)\b/i.test(this.segments[this.at + 1]?.text ?? '');
    this.isHeadPlural = segment.isPlural && !isOneOf;
    this.current = this.head;
    // "Which analysts have no open cases": of those without any, which no filter expresses.
    const isDenied = this.pre.some(({ isNegated, isStrong, isExcept }) => isNegated && isStrong && !isExcept);
    if (isDenied && (this.out.groups.length > 0 || this.out.shown.length > 0 || this.out.isWho)) this.out.left.push('no');
    // "Birch had no critical alert": whether there are any.
    else if (isDenied && this.isHaving && !this.hasPrevious && !wasSaid) this.askWhether();
    this.flush();
    // "Not alerts at Birch": of all records, which no filter expresses.
    if (this.not && !this.not.isExcept) {
      this.out.left.push('not');
      this.not = undefined;
    }
    this.glue = undefined;
    return true;
  }

  /** Records of another entity: a column, a condition, or words that narrow nothing. */
  private takeRelated(segment: Segment, entity: QueryEntity): boolean {
    const { head } = this.out;
    if (this.count?.entity === entity) return this.mark(() => this.relate(entity));
    const named = this.next()?.items.value;
    const isOwnName =
      named?.isName && named.options.some((each) => each.entity === entity && (entity === 'client' || each.field === 'name'));
    const isNamed =
      isOwnName || this.segments[this.at + 1]?.items.value?.isName || this.segments[this.at - 1]?.items.value?.isName;
    if (
      isNamed &&
      this.groupField(entity) !== undefined &&
      (this.glue !== 'have' || isOwnName) &&
      !this.not &&
      this.pre.every(({ option }) => option.some((each) => each.entity === head))
    )
      return true;
    // A noun without conditions that every record of the head has: "device alerts", "alerts on devices".
    const isStrong = this.not !== undefined || this.pre.some(({ isNegated }) => isNegated);
    const isAsked = /^(?:which|what|whose)$/i.test(this.segments[this.at - 1]?.text ?? '') && this.glue !== 'have';
    if (
      (this.glue === undefined || isAsked) &&
      !isStrong &&
      this.out.isHeadSaid &&
      (this.pre.length === 0 || isAsked) &&
      this.groupField(entity) !== undefined &&
      (segment.isPlural ? /^(?:its|their|which|what|whose)$/i : /^(?:its|their|which|what|whose|and|plus|with|\+|&|,)$/i).test(
        this.segments[this.at - 1]?.text ?? '',
      )
    )
      return this.mark(() => {
        this.flush();
        this.out.shown.push(this.groupField(entity)!);
      });
    // "Open cases and offline devices": two lists.
    if (this.glue !== 'have' && !isStrong && segment.isPlural && this.out.isHeadSaid && this.isBesides()) return false;
    if (this.glue === undefined && !isStrong && this.next()?.items.entity?.entity !== head) return false;
    // "… and its client": a column.
    const field = this.groupField(entity);
    if (
      field !== undefined &&
      this.out.isHeadSaid &&
      this.glue !== 'have' &&
      !this.not &&
      this.pre.length === 0 &&
      !this.modifies()
    ) {
      if (!this.out.shown.includes(field)) this.out.shown.push(field);
      return true;
    }
    this.relate(entity);
    return true;
  }

  /** Attributes of the head stand on the other side of a comma or "and". */
  protected isInListOfColumns(): boolean {
    const isColumn = (step: 1 | -1) => {
      let at = this.at + step;
      if (!(this.segments[at]?.items.comma ?? this.segments[at]?.items.and)) return false;
      while (
        this.segments[at] &&
        (this.segments[at]!.items.comma ?? this.segments[at]!.items.and ?? this.segments[at]!.items.filler)
      )
        at += step;
      const { attribute, value, entity } = this.segments[at]?.items ?? {};
      return (
        !value &&
        !entity &&
        !this.segments[at + 1]?.items.value &&
        attribute?.options.some((option) => option.entity === this.out.head) === true
      );
    };
    return isColumn(1) || isColumn(-1);
  }

  /** A value, a comparison, a number or a time of the attribute follows. */
  protected isLedBy(field: string, { type }: Attribute): boolean {
    const next = this.next()?.items;
    const isCompared = next?.compare ?? (next?.number && next.number.unit !== 'minutes' ? next.number : undefined);
    return (
      this.valueFollows(field) ||
      ((type === 'number' || type === 'choice') && isCompared !== undefined) ||
      (type === 'time' && next?.time !== undefined)
    );
  }

  /** Only adjectives stand between an "and" and this. */
  private isBesides(): boolean {
    let at = this.at - 1;
    while (this.segments[at]?.items.value && !this.segments[at]!.items.value!.isName) at--;
    return at < this.at - 1 && this.segments[at]?.items.and !== undefined;
  }

  /** Requested values that are denied with their noun. */
  private askWhether(): void {
    if (this.out.measure !== undefined && this.out.measure !== 'exists') this.out.left.push('no');
    this.out.measure = 'exists';
    for (const pending of this.pre) if (pending.isStrong && !pending.isExcept) pending.isNegated = false;
  }

  /** "By number of devices": an order by the head's own number, or by that of related records. */
  protected takeNumberOf(): boolean {
    const entity = this.segments.slice(this.at + 1).find(({ items }) => items.entity)?.items.entity?.entity;
    if (entity === undefined || entity === this.out.head) return false;
    const field = this.countField(entity);
    const { head, frames } = this.out;
    const isBridged = !isCountedOf(this.schemas, head, entity) && bridgeOf(this.schemas, frames, entity, head) !== undefined;
    if (field === undefined && !isBridged && !isCountedOf(this.schemas, head, entity)) return false;
    this.skipTo('entity');
    return this.mark(() => {
      // "The biggest client by number of devices": one.
      this.out.isOrder = this.out.limit === undefined && (field !== undefined || isBridged || !this.out.superlative);
      const { field: _, ...superlative } = { ...plainSuperlative, ...this.out.superlative };
      this.out.superlative = { ...superlative, ...(field ? { field } : { related: entity }) };
    });
  }

  protected takeBucket(field: string): boolean {
    const text = this.segments[this.at]!.text;
    const isAsked =
      this.isGroup ||
      this.out.superlative !== undefined ||
      this.segments.some(({ items }) => items.superlative ?? items.which) ||
      // "Hours with more than 50 alerts"
      (this.segments[this.at]!.isPlural && !this.out.isHeadSaid && this.segments[this.at + 1]?.items.have !== undefined) ||
      /ly$|by/i.test(text);
    // "These days" is no group.
    if (!isAsked || /^these$/i.test(this.segments[this.at - 1]?.text ?? '')) return false;
    if (this.schemas[this.out.head].time === undefined) return false;
    if (!this.out.groups.includes(field)) this.out.groups.push(field);
    this.isGroup = false;
    return true;
  }

  protected isOnto({ items, text }: Segment): boolean {
    const named = this.next()?.items.value;
    const waiting = this.pre.flatMap(({ option }) => option.map(({ field }) => field));
    const known = new Set([...waiting, ...this.head.conditions.map(({ field }) => field), ...this.out.groups]);
    return (
      /^against$/i.test(text) &&
      items.preposition !== undefined &&
      named?.isName === true &&
      !named.options.some(({ field }) => known.has(field))
    );
  }

  protected compareNext(): true {
    this.flush();
    this.out.isCompared = true;
    const named = this.head.conditions.find(({ filter, isNegated }) => 'in' in filter && !isNegated)?.filter;
    if (named && 'in' in named) this.out.comparedWith ??= [...named.in];
    return true;
  }
}
