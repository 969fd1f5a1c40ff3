/**
 * Composes the segments of a part into a query about one entity, from left to right. Every segment must find its place; what does not is reported as
 * left behind, and then the reading is no answer.
 */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import { type Composed, plainSuperlative } from './composed.ts';
import { Counting, compared } from './counting.ts';
import { areRelated, homonyms, isOrderable, optionOf, presence } from './frames.ts';
import type { Named } from './items.ts';
import type { Segment } from './segments.ts';

export class Composer extends Counting {
  run(): Composed {
    for (this.at = 0; this.at < this.segments.length; this.at++) {
      const segment = this.segments[this.at]!;
      if (!this.take(segment)) this.out.left.push(segment.text);
    }
    this.flush();
    this.settle();
    return this.out;
  }

  /** Each kind in turn: what a word is depends on what stands beside it. */
  private take(segment: Segment): boolean {
    const { items } = segment;
    const next = this.next()?.items;
    if (items.time) return this.takeTime(items.time.time);
    if (items.compare && this.takeCompare(segment, next)) return true;
    if (items.between && next?.number) return this.takeBetween();
    if (items.number && this.takeNumber(segment)) return true;
    if (
      items.bucket &&
      !items.entity &&
      (!items.value || this.isGroup || (!segment.isPlural && !next?.entity)) &&
      !next?.compare &&
      !next?.number &&
      this.takeBucket(items.bucket.field)
    )
      return true;
    if (items.group && this.leadsGroup(next)) return this.takeGroup(segment);
    if (items.measure && !(items.attribute && (next?.compare || next?.number))) return this.takeMeasure(segment);
    if (
      items.entity &&
      !this.isConfirmedValue(segment) &&
      !this.isCompared(segment) &&
      this.takeEntity(segment, items.entity.entity)
    )
      return true;
    if (items.value && !this.isOnlyGrammar(segment) && !this.isOnlyVerb(segment)) return this.takeValue(segment);
    if (items.verb?.options.some(({ entity }) => this.out.frames.some((frame) => frame.entity === entity)))
      return this.takeVerb(items.verb.options, segment.text);
    if (items.superlative && !(items.order && this.out.superlative)) return this.takeSuperlative(segment);
    if (items.order && this.out.superlative) return this.mark(() => (this.out.isOrder = true));
    if (items.attribute && !items.who && !this.beginsAnew(segment) && this.takeAttribute(segment)) return true;
    return this.takeWord(segment);
  }

  /** "Alerts and devices": a list of its own, no column. */
  private beginsAnew({ items, isPlural }: Segment): boolean {
    const before = this.segments[this.at - 1]?.items;
    const isJoined =
      before !== undefined && (before.and ?? before.comma) !== undefined && !this.isGroup && !this.continuesGroup();
    return isJoined && isPlural && items.entity !== undefined && items.entity.entity !== this.out.head;
  }

  private takeCompare(segment: Segment, next: Segment['items'] | undefined): boolean {
    const { compare } = segment.items;
    const leadsNumber =
      next?.number !== undefined || next?.value?.options.some(({ entity, field }) => this.isOrdered(entity, field)) === true;
    // "Crit + high" are two, "medium+" and worse.
    if (segment.text === '+' && next?.value) return false;
    if (compare!.isAfter && this.takeAfter(segment)) return true;
    if (leadsNumber || (compare!.isAge && next?.number)) return this.takeComparison(segment);
    // "More than in October", "above the client average".
    if (next?.average || next?.versus || (next?.time && (this.hasPrevious || this.out.frames.some(({ time }) => time))))
      return this.compareNext();
    return false;
  }

  /** Words of the grammar. */
  private takeWord(segment: Segment): boolean {
    const { items, text } = segment;
    if (items.not)
      return this.mark(() =>
        this.negate(
          false,
          /\b(?:no|zero|without|w\/o|lack|lacking|never|none|neither|nor|nothing|nobody|missing|devoid|free|single|any)\b/i.test(
            text,
          ),
        ),
      );
    if (items.except) return this.mark(() => this.negate(true, true));
    if (items.trend) return this.mark(() => (this.out.isTrend = true));
    if (items.average) return this.mark(() => (this.out.isAverage = true));
    if (items.versus) return this.compareNext();
    // "Devices with no agent on them": the head itself.
    const isDenied = this.wasNegated && (this.last !== undefined || this.out.frames.length > 1);
    if (items.reference && this.out.isHeadSaid && isDenied && /^(?:on|in|to|for|with) (?:them|it)$/i.test(text)) return true;
    if (items.reference && this.isReference(segment))
      return this.mark(
        () => (this.out.reference = items.reference!.isRest ? 'rest' : items.reference!.isSame ? 'same' : 'those'),
      );
    if (items.who && !(items.that && this.out.isHeadSaid)) return this.mark(() => (this.out.isWho = true));
    if (items.only) return this.mark(() => undefined) && !this.not;
    if (items.or || items.and) return this.takeJoiner(items.or ? 'or' : 'and', false);
    if (items.comma) return this.takeJoiner(this.joiner === 'next' ? 'and' : this.joiner, true);
    if (items.have) return this.takeGlue('have');
    if (items.that) return this.takeGlue('that');
    if (items.preposition) return this.takeGlue('preposition');
    if (items.group && /^(?:each|every)$/i.test(text)) return this.mark(() => (this.out.isEach = true));
    if (items.anything) this.out.isHeadSaid = true;
    return (
      items.filler !== undefined ||
      items.which !== undefined ||
      items.anything !== undefined ||
      items.follow !== undefined ||
      items.colon !== undefined
    );
  }

  private takeGroup(segment: Segment): boolean {
    this.flush();
    const next = this.next()?.items;
    // "Closed by Imani" and "closed by": a person, not a group.
    if (segment.items.preposition && this.out.superlative && !this.out.superlative.field && !next?.bucket) {
      this.isGroup = false;
      return this.mark(() => (this.glue = 'preposition'));
    }
    this.isGroup = true;
    this.isSort = /^(?:sort|order|rank)/i.test(segment.text);
    return true;
  }

  private takeMeasure({ items, text }: Segment): boolean {
    const { measure } = items.measure!;
    // "Excluding any with": a noun after an exclusion.
    if (measure === 'exists' && this.not) return true;
    if (measure === 'exists' && this.out.measure !== undefined) return true;
    // "No user on any": about all of them, which no filter says.
    if (measure === 'exists' && this.next() === undefined && (this.wasNegated || this.segments[this.at - 1]?.items.preposition))
      return false;
    if (measure === 'list' && this.out.measure !== undefined) return true;
    if (measure === 'count' && this.out.measure === 'share') return true;
    this.flush();
    if (
      this.out.measure !== undefined &&
      this.out.measure !== measure &&
      this.out.measure !== 'list' &&
      this.out.measure !== 'exists'
    ) {
      if (measure !== 'count') this.out.left.push(text);
      return true;
    }
    this.out.measure = measure;
    this.out.isDuration = /\b(?:how (?!many|much\b(?! time))|time|hours|days|close)/i.test(text);
    return true;
  }

  private takeBucket(field: string): boolean {
    const text = this.segments[this.at]!.text;
    const isAsked =
      this.isGroup ||
      this.out.superlative !== undefined ||
      this.segments.some(({ items }) => items.superlative ?? items.which) ||
      /ly$|by/i.test(text);
    // "These days" is no group.
    if (!isAsked || /^these$/i.test(this.segments[this.at - 1]?.text ?? '')) return false;
    if (this.schemas[this.out.head].time === undefined) return false;
    if (!this.out.groups.includes(field)) this.out.groups.push(field);
    this.isGroup = false;
    return true;
  }

  private takeSuperlative(segment: Segment): boolean {
    const { isMost, isTime = false, options } = segment.items.superlative!;
    this.flush();
    const { superlative } = this.out;
    // "Overdue ones first": an order by a state, which there is none of.
    const beside = this.segments[this.at - 1]?.items;
    if (/^first$/i.test(segment.text) && !superlative && (beside?.value ?? beside?.anything)) return false;
    if (this.not || (superlative && superlative.field !== undefined)) return false;
    if (superlative && (superlative.isMost !== isMost || superlative.isTime !== isTime) && !superlative.isTop) return false;
    const own = options?.find(({ entity }) => entity === this.out.head);
    if (options && !own && !segment.items.superlative!.isGeneric) return false;
    this.out.superlative = {
      isMost,
      isTime,
      isWorst: /worst|highest|biggest|top|largest|greatest|hottest/i.test(segment.text),
      isMore: /^(?:more|fewer)$/i.test(segment.text),
      isTop: /^top$/i.test(segment.text),
      isLongest: /long|slow/i.test(segment.text) ? true : /short|fast|quick/i.test(segment.text) ? false : undefined,
      isPlural: false,
      isGeneric: segment.items.superlative!.isGeneric === true,
      ...(own && !(isTime && own.field === this.schemas[this.out.head].time) && { field: own.field }),
    };
    return true;
  }

  private takeVerb(options: Named[], text: string): boolean {
    this.flush();
    this.verb = { options, text };
    this.out.whoVerb = text.toLowerCase();
    return true;
  }

  private takeAttribute(segment: Segment): boolean {
    const options = segment.items.attribute!.options;
    const own =
      options.find(({ entity }) => entity === this.out.head) ?? options.find(({ entity }) => entity === this.current.entity);
    if (!own) return false;
    const attribute = this.schemas[own.entity].attributes[own.field]!;
    // "Closed by Priya last month", "who closed most": the time of closing.
    const [, participle, active] = /^(?:(\w+) by|who (\w+))$/i.exec(segment.text) ?? [];
    if (own.entity === this.out.head) this.stateVerb ??= this.timeOfVerb(participle ?? active);
    if (this.isGroup || this.continuesGroup()) {
      this.isGroup = false;
      this.groupAt = this.at;
      // "Sorted by severity"
      if (this.isSort && isOrderable(attribute) && !this.out.superlative)
        return this.mark(() => {
          this.out.superlative = { ...plainSuperlative, field: own.field };
          this.out.isOrder = true;
        });
      return this.mark(() => this.out.groups.push(own.field));
    }
    if (this.out.superlative && this.out.superlative.field === undefined)
      return this.mark(() => {
        if (isOrderable(attribute)) this.out.superlative!.field = own.field;
        else this.out.groups.push(own.field);
      });
    if (/^mtt[acr]$/i.test(segment.text)) this.out.measure = 'mean';
    const isMeasured = this.out.measure !== undefined && !['count', 'list', 'exists', 'share'].includes(this.out.measure);
    if (isMeasured && attribute.type === 'number' && this.out.measured === undefined)
      return this.mark(() => (this.out.measured = own.field));
    const pending = this.pre.at(-1);
    // "Agent source", "medium severity": the noun confirms the value before it.
    if (pending?.option.some(({ entity, field }) => entity === own.entity && field === own.field)) {
      // "Harbor's clients": those of the partner.
      if (optionOf(pending.option, own.entity, [])?.field !== 'partner') pending.fields = [own.field];
      return true;
    }
    if (this.last?.field === own.field) return true;
    if (this.not && !this.valueFollows(own.field))
      return this.mark(() => this.put(this.frameOf(own.entity), presence(own.field, attribute.type, false), this.takeNot()));
    if (this.glue === 'have' && !this.valueFollows(own.field) && !this.next()?.items.compare)
      return this.mark(() => this.put(this.frameOf(own.entity), presence(own.field, attribute.type, true)));
    const next = this.next()?.items;
    const isLed =
      this.valueFollows(own.field) ||
      ((attribute.type === 'number' || attribute.type === 'choice') &&
        (next?.compare ?? (next?.number && next.number.unit !== 'minutes' ? next.number : undefined))) ||
      (attribute.type === 'time' && next?.time);
    if (isLed) this.attribute = options;
    else this.out.shown.push(own.field);
    if (attribute.type === 'time' && isLed) this.verb = { options, text: segment.text };
    return true;
  }

  private takeValue(segment: Segment): boolean {
    const item = segment.items.value!;
    if (item.isGuess) this.out.isGuess = true;
    const fields = this.attribute?.map(({ field }) => field) ?? this.personFields(item.isName === true);
    let options = item.options;
    const { comparison } = this.comparison ?? {};
    if (comparison) {
      options = options
        .filter(({ entity, field }) => this.isOrdered(entity, field))
        .map((option) => compared(option, comparison));
      this.comparison = undefined;
      if (options.length === 0) return false;
    }
    if (item.verbs?.some(({ entity }) => entity === this.out.head) && this.isOnlyVerb(segment))
      return this.takeVerb(item.verbs, segment.text);
    if (item.verbs) {
      this.out.whoVerb = segment.text.toLowerCase();
      this.stateVerb ??= item.verbs.find(({ entity }) => entity === this.out.head)?.field;
    }
    // "Closed automatically last week": the time of closing.
    if (!this.not && / /.test(item.label)) this.stateVerb ??= this.timeOfVerb(item.label.split(' ')[0]);
    const isJoined = this.sticky !== undefined && this.joiner !== 'next' && !this.not;
    const isSame = isJoined && options.some(({ field }) => field === this.sticky!.field);
    // "Except Birch and low ones" leaves out both; "except Birch and open" could be meant either way.
    const isFurther = isJoined && this.sticky!.isExcept && !isSame && !this.isAfterComma;
    if (isFurther && !this.segments[this.at + 1]?.items.anything) return false;
    const isSticky = isSame || isFurther;
    const isNegated = this.not !== undefined || isSticky;
    const isExcept = this.not?.isExcept ?? (isSticky && this.sticky!.isExcept);
    this.pre.push({
      option: options,
      label: item.label,
      noun: item.noun,
      isNegated,
      isStrong: this.not?.isStrong ?? false,
      joiner: this.joiner,
      isExcept,
      fields,
    });
    if (item.isName) this.glue = undefined;
    this.sticky = isNegated ? { isExcept, field: options[0]?.field ?? '' } : undefined;
    this.not = undefined;
    this.joiner = 'next';
    this.attribute = undefined;
    return true;
  }

  private takeEntity(segment: Segment, said: QueryEntity): boolean {
    const { head } = this.out;
    const beside = this.segments[this.at + 1]?.items.number;
    if (said !== head && beside && beside.unit === undefined && this.takeRecordNumber(said, beside.value))
      return this.mark(() => this.at++);
    const entity = homonyms[said]?.includes(head) ? head : said;
    const isGroup = this.isGroup || (!segment.isPlural && this.continuesGroup());
    if (isGroup || (entity !== head && !this.out.isHeadSaid && this.asksForGroup(entity))) {
      const field = this.groupField(entity);
      if (field === undefined) return false;
      this.isGroup = false;
      this.groupAt = this.at;
      if (!this.out.groups.includes(field)) this.out.groups.push(field);
      // "Which of my clients has the most": one.
      this.out.isGroupPlural = segment.isPlural && !/\bof\b/i.test(this.segments[this.at - 1]?.text ?? '');
      return true;
    }
    if (entity === head) {
      if (this.out.superlative) this.out.superlative.isPlural = segment.isPlural;
      this.out.isHeadSaid = true;
      this.current = this.head;
      // "Which analysts have no open cases": of those without any, which no filter says.
      const isDenied = this.pre.some(({ isNegated, isStrong, isExcept }) => isNegated && isStrong && !isExcept);
      if (isDenied && (this.out.groups.length > 0 || this.out.shown.length > 0 || this.out.isWho)) this.out.left.push('no');
      this.flush();
      // "Not alerts at Birch": of all records, which no filter says.
      if (this.not && !this.not.isExcept) {
        this.out.left.push('not');
        this.not = undefined;
      }
      this.glue = undefined;
      return true;
    }
    const { superlative } = this.out;
    if (superlative && !superlative.isTime && superlative.field === undefined && superlative.related === undefined) {
      const counted = this.countField(entity);
      if (counted !== undefined) superlative.field = counted;
      else superlative.related = entity;
      return true;
    }
    if (!areRelated(this.schemas, head, entity)) return false;
    if (this.count?.entity === entity) return this.mark(() => this.relate(entity));
    const isNamed = this.segments[this.at + 1]?.items.value?.isName || this.segments[this.at - 1]?.items.value?.isName;
    if (
      isNamed &&
      this.groupField(entity) !== undefined &&
      this.glue !== 'have' &&
      !this.not &&
      this.pre.every(({ option }) => option.some((each) => each.entity === head))
    )
      return true;
    // A noun with nothing to say about it that every record of the head has: "device alerts", "alerts on devices".
    const isStrong = this.not !== undefined || this.pre.some(({ isNegated }) => isNegated);
    if (
      this.glue === undefined &&
      !isStrong &&
      this.out.isHeadSaid &&
      this.pre.length === 0 &&
      this.groupField(entity) !== undefined &&
      (segment.isPlural ? /^(?:its|their|which|what|whose)$/i : /^(?:its|their|which|what|whose|and|plus|with|\+|&|,)$/i).test(
        this.segments[this.at - 1]?.text ?? '',
      )
    )
      return this.mark(() => this.out.shown.push(this.groupField(entity)!));
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

  private compareNext(): true {
    this.flush();
    this.out.isCompared = true;
    return true;
  }
}
