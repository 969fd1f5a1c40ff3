import type { Attribute } from '../../../domain/query/schema.ts';
import { ofTimes, settleBoth } from './both.ts';
import { type Composed, plainSuperlative } from './composed.ts';
import { compared } from './counting.ts';
import { isOrderable, namesOf, optionOf, presence } from './frames.ts';
import { days } from './framing.ts';
import type { Named } from './items.ts';
import { Nouns } from './nouns.ts';
import { isElliptic } from './parts.ts';
import { isPastBefore } from './past.ts';
import type { Segment } from './segments.ts';

export class Composer extends Nouns {
  /** Attributes of the value after "both". */
  private both: ReadonlySet<string> | undefined;

  run(): Composed {
    for (this.at = 0; this.at < this.segments.length; this.at++) {
      const segment = this.segments[this.at]!;
      if (!this.take(segment)) this.out.left.push(segment.text);
    }
    this.flush();
    this.shareTime();
    settleBoth(this.out, this.schemas, this.segments, this.both);
    this.settle();
    return this.out;
  }

  private readonly bothOf = (next: Segment['items'] | undefined): ReadonlySet<string> =>
    new Set(next?.time ? [ofTimes] : next?.value?.options.map(({ field }) => field));

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
    if (items.distinct) return this.takeDistinct();
    if (items.measure && !(items.attribute && (next?.compare || next?.number))) return this.takeMeasure(segment);
    if (this.takePersons(segment)) return true;
    if (
      items.entity &&
      !this.isConfirmedValue(segment) &&
      !this.isCompared(segment) &&
      this.takeEntity(segment, items.entity.entity)
    )
      return true;
    // "The analyst of case 12": a person of its own, and no role.
    const isRole = items.value?.noun === 'account' && this.out.head !== 'account' && this.out.head !== 'user';
    if (isRole && items.attribute?.options.some(({ entity }) => entity === this.out.head) && this.takeAttribute(segment))
      return true;
    // "Not closed by the system" is not open.
    if (items.value && /^not\b/i.test(segment.text) && /^by\b/i.test(this.segments[this.at + 1]?.text ?? '')) return false;
    if (items.value && !this.isOnlyGrammar(segment) && !this.isOnlyVerb(segment)) return this.takeValue(segment);
    if (items.verb?.options.some(({ entity }) => this.out.frames.some((frame) => frame.entity === entity)))
      return this.takeVerb(items.verb.options, segment.text);
    if (items.superlative && !(items.order && this.out.superlative)) return this.takeSuperlative(segment);
    if (items.order && this.out.superlative) return this.mark(() => (this.out.isOrder = true));
    const beside = this.next()?.items;
    const isPlainWord = items.preposition !== undefined && (beside?.value?.isName ?? beside?.entity) !== undefined;
    if (items.attribute && !items.who && !isPlainWord && !this.beginsAnew(segment) && this.takeAttribute(segment)) return true;
    return this.takeWord(segment);
  }

  private takeCompare(segment: Segment, next: Segment['items'] | undefined): boolean {
    const { compare } = segment.items;
    const leadsNumber =
      next?.number !== undefined || next?.value?.options.some(({ entity, field }) => this.isOrdered(entity, field)) === true;
    // "Crit + high" are two, "medium+" and worse.
    if (segment.text === '+' && next?.value) return false;
    if (compare!.isAfter && this.takeAfter(segment)) return true;
    if (leadsNumber || (compare!.isAge && next?.number)) return this.takeComparison(segment);
    if (this.takeAboveAverage(segment)) return true;
    // "More than in October", "above the client average".
    if (next?.average || next?.versus || (next?.time && (this.hasPrevious || this.out.frames.some(({ time }) => time))))
      return this.compareNext();
    return false;
  }

  /** Words of the grammar. */
  private takeWord(segment: Segment): boolean {
    const { items, text } = segment;
    if (items.not) {
      // "Devices at Cedar without events": Cedar's devices.
      const isSaid = this.out.isHeadSaid || this.pre.some(({ noun }) => noun === this.out.head);
      if (isSaid && this.current === this.head && !this.not && this.pre.every(({ isNegated }) => !isNegated)) this.flush();
      const before = this.segments[this.at - 1]?.items;
      this.isHaving = /\b(?:had|have|has|got)\b/i.test(text) || (before?.have ?? before?.that) !== undefined;
      return this.mark(() =>
        this.negate(
          false,
          /\b(?:no|zero|without|w\/o|lack|lacking|never|none|neither|nor|nothing|nobody|missing|devoid|free|single|any)\b/i.test(
            text,
          ),
        ),
      );
    }
    if (items.except ?? this.excludes(segment)) return this.mark(() => this.negate(true, true));
    if (items.alphabet) return this.mark(() => (this.out.isAlphabetic = true));
    // "The biggest increase": of no query.
    if (items.trend && this.out.superlative && !this.out.superlative.isTime) return false;
    if (items.trend) return this.mark(() => (this.out.isTrend = true));
    if (items.average) return this.mark(() => (this.out.isAverage = true));
    // "Attacks against Birch": nothing stands on the other side.
    if (items.versus && !this.isOnto(segment)) return this.compareNext();
    // "Devices with no agent on them", "cases with a single alert in em": the head itself.
    const isOfHead = !this.hasPrevious || (this.wasNegated && (this.last !== undefined || this.out.frames.length > 1));
    const withBefore = `${this.segments[this.at - 1]?.text} ${text}`;
    if (items.reference && this.out.isHeadSaid && isOfHead && /\b(?:on|in|to|for|with) (?:(?:th)?em|it)$/i.test(withBefore))
      return true;
    if (items.reference && this.isReference(segment))
      return this.mark(
        () => (this.out.reference = items.reference!.isRest ? 'rest' : items.reference!.isSame ? 'same' : 'those'),
      );
    if (items.who && !(items.that && this.out.isHeadSaid)) return this.mark(() => (this.out.isWho = true));
    if (items.only) return this.takeOnly();
    // "No alerts last month but did this month": what was denied, of another time.
    if (/^but$/i.test(text) && this.wasNegated && isElliptic(this.segments.slice(this.at + 1))) return false;
    if (items.or || items.and) return this.takeJoiner(items.or ? 'or' : 'and', false);
    if (items.comma) return this.takeJoiner(this.joiner === 'next' ? 'and' : this.joiner, true);
    if (items.have) return this.takeGlue('have');
    if (items.that) return this.takeGlue('that');
    // "By" and nothing to divide by.
    if (items.preposition && items.group && this.next() === undefined) return false;
    if (items.preposition) return this.takeGlue('preposition');
    if (items.group && /^(?:each|every)$/i.test(text)) return this.mark(() => (this.out.isEach = true));
    // "Cases that need me": what they need is no condition.
    if (/^needs?$/i.test(text) && this.out.isHeadSaid && this.segments[this.at - 1]?.items.that) return false;
    if (items.anything) this.out.isHeadSaid = true;
    if (/^both(?: of)?$/i.test(text)) this.both = this.bothOf(this.next()?.items);
    if (/^(?:combined|together|altogether|taken together|added up|summed up|in total|in sum)$/i.test(text))
      this.out.isCombined = true;
    return (
      items.filler !== undefined ||
      items.which !== undefined ||
      items.anything !== undefined ||
      items.follow !== undefined ||
      items.colon !== undefined
    );
  }

  /** "All alerts but low ones" */
  private excludes({ text }: Segment): boolean | undefined {
    const isAll = this.segments.slice(0, this.at).some((each) => /\b(?:all|every|each|everything)\b/i.test(each.text));
    return (/^but$/i.test(text) && isAll && this.segments[this.at + 1]?.items.value !== undefined) || undefined;
  }

  private takeGroup(segment: Segment): boolean {
    this.flush();
    const next = this.next()?.items;
    // "Closed by Imani" and "closed by": a person, not a group.
    if (segment.items.preposition && this.out.superlative && !this.out.isOrder && !this.out.superlative.field && !next?.bucket) {
      this.isGroup = false;
      return this.mark(() => (this.glue = 'preposition'));
    }
    this.isGroup = true;
    this.out.isGroupSaid = true;
    this.isSort = /^(?:sort|order|rank)/i.test(segment.text);
    return true;
  }

  private takeMeasure({ items, text }: Segment): boolean {
    const { measure } = items.measure!;
    // "Excluding any with": a noun after an exclusion.
    if (measure === 'exists' && this.not) return true;
    if (measure === 'exists' && this.out.measure !== undefined) return true;
    // "No user on any": about all of them, which no filter expresses.
    if (measure === 'exists' && this.next() === undefined && (this.wasNegated || this.segments[this.at - 1]?.items.preposition))
      return false;
    // "Not covered by any rule"
    const noun = this.next()?.items.entity;
    if (measure === 'exists' && this.wasNegated && noun && noun.entity !== this.out.head && this.out.isHeadSaid) return false;
    // "How many a week on average"
    if (measure === 'mean' && this.out.measure === 'count' && /average|mean|usual|normal|typical/i.test(text))
      return this.mark(() => (this.out.measure = 'mean'));
    if (measure === 'list' && this.out.measure !== undefined) return true;
    if (measure === 'count' && this.out.measure === 'share') return true;
    const isSize = measure === 'count' && /^by$/i.test(this.segments[this.at - 1]?.text ?? '');
    if (isSize && this.segments.slice(0, this.at).some(({ items: own }) => own.entity))
      return this.out.isHeadSaid && this.takeNumberOf();
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
    this.out.isUniversal = measure === 'share' && /\b(?:all|every|each)\b/i.test(text);
    this.out.isDuration ||= /\b(?:how (?!many|much\b(?! time))|time|hours|days|close)/i.test(text);
    return true;
  }

  private takeSuperlative(segment: Segment): boolean {
    const { isMost, isTime = false, options } = segment.items.superlative!;
    // "Grew the most": of no query.
    if (this.out.isTrend && !isTime) return false;
    // "Last Friday" is one day.
    if (isTime && this.segments[this.at + 1]?.items.value?.options.some(({ field }) => field === 'weekday')) return false;
    this.flush();
    const { superlative } = this.out;
    // "Overdue ones first": an order by a state, which there is none of.
    const beside = this.segments[this.at - 1]?.items;
    if (/^first$/i.test(segment.text) && !superlative && (beside?.value ?? beside?.anything)) return false;
    // "By risk score, highest first"
    if (!this.not && superlative?.field !== undefined && this.out.isOrder && !isTime && !options)
      return this.mark(() => (superlative.isMost = isMost));
    // "The top 10 with the most": one order.
    const isAgain = superlative?.isTop === true && superlative.isGeneric && !isTime && !options;
    if (this.not || superlative?.related !== undefined || (superlative?.field !== undefined && !isAgain)) return false;
    if (superlative && (superlative.isMost !== isMost || superlative.isTime !== isTime) && !superlative.isTop) return false;
    const own = options?.find(({ entity }) => entity === this.out.head);
    if (options && !own && !segment.items.superlative!.isGeneric) return false;
    this.out.superlative = {
      isMost,
      isTime,
      isWorst: /worst|highest|biggest|top|largest|greatest|hottest/i.test(segment.text),
      isMore: /^(?:more|fewer)$/i.test(segment.text),
      isTop: /^top$/i.test(segment.text),
      isFirst: /^(?:the )?first$/i.test(segment.text),
      isOften: /\b(?:common|commonest|frequent|often)\b/i.test(segment.text),
      isLongest: /long|slow/i.test(segment.text) ? true : /short|fast|quick/i.test(segment.text) ? false : undefined,
      isPlural: this.isHeadPlural,
      isGeneric: segment.items.superlative!.isGeneric === true,
      ...(own && !(isTime && own.field === this.schemas[this.out.head].time) && { field: own.field }),
    };
    return true;
  }

  /** The word stands beside what it does not concern. */
  private isOther(segment: Segment, { field }: Named, { type }: Attribute): boolean {
    const [before, first] = [this.segments[this.at - 1], this.segments[this.at - 2]];
    const isAlone = !this.out.isHeadSaid && !this.hasPrevious && !this.isGroup && this.pre.length === 0;
    return (
      // "Clients with alerts" are no column of alerts.
      (segment.items.entity !== undefined && segment.isPlural && isAlone) ||
      // "Requested by Harbor" names no person.
      (/ by$/i.test(segment.text) && this.next()?.items.value?.isName === true && !this.valueFollows(field)) ||
      // "The manufacturing industry" is none of Alder Manufacturing.
      (type === 'text' && before?.items.value?.isName === true && /^the$/i.test(first?.text ?? '')) ||
      // "Low scores" are no low records.
      (type === 'number' &&
        before?.items.value !== undefined &&
        this.pre.at(-1)?.option.some((option) => option.field === 'severity') === true)
    );
  }

  private divideBy(field: string, attribute: Attribute): boolean {
    this.isGroup = false;
    this.groupAt = this.at;
    // "Sorted by severity", "clients by number of devices"
    const isSize = attribute.type === 'number' && this.out.measure !== 'count' && !['hour', 'case', 'number'].includes(field);
    if ((this.isSort || isSize) && isOrderable(attribute) && !this.out.superlative)
      return this.mark(() => {
        this.out.superlative = { ...plainSuperlative, field };
        this.out.isOrder = true;
      });
    const { superlative } = this.out;
    if (isSize && superlative && (superlative.isTop || (superlative.field ?? field) === field))
      return this.mark(() => (superlative.field = field));
    return this.mark(() => this.out.groups.push(field));
  }

  private takeAttribute(segment: Segment): boolean {
    const options = segment.items.attribute!.options;
    const own =
      options.find(({ entity }) => entity === this.out.head) ?? options.find(({ entity }) => entity === this.current.entity);
    if (!own) return false;
    const attribute = this.schemas[own.entity].attributes[own.field]!;
    if (this.isOther(segment, own, attribute)) return false;
    // "Due today": the time of no column.
    if (attribute.type === 'number' && /^due$/i.test(segment.text) && this.segments[this.at + 1]?.items.time) return false;
    // "Closed by Priya last month", "who closed most": the time of closing.
    const [, participle, active] = /^(?:(\w+) by|who (\w+))$/i.exec(segment.text) ?? [];
    if (own.entity === this.out.head) this.stateVerb ??= this.timeOfVerb(participle ?? active);
    if (namesOf(attribute) === 'account' && this.replacePerson(own.field)) return true;
    if (this.isGroup || this.continuesGroup()) return this.divideBy(own.field, attribute);
    if (this.out.superlative && this.out.superlative.field === undefined)
      return this.mark(() => {
        if (isOrderable(attribute) && !this.out.superlative!.isOften) this.out.superlative!.field = own.field;
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
    // "With their fixed version": a column.
    const [before, comma] = [this.segments[this.at - 1], this.segments[this.at - 2]];
    const isTheirs =
      /^(?:its|their)$/i.test(before?.text ?? '') || (/^with$/i.test(before?.text ?? '') && comma?.items.comma !== undefined);
    if (isTheirs && own.entity === this.out.head && !this.not) return this.mark(() => this.out.shown.push(own.field));
    // "With role, last sign-in and MFA state": columns.
    const isColumn =
      own.entity === this.out.head && (attribute.type === 'time' || attribute.type === 'choice' || this.isInListOfColumns());
    const isLed = this.isLedBy(own.field, attribute);
    if (this.glue === 'have' && isColumn && !isLed) return this.mark(() => this.out.shown.push(own.field));
    if (this.glue === 'have' && !isLed)
      return this.mark(() => this.put(this.frameOf(own.entity), presence(own.field, attribute.type, true)));
    if (isLed) this.attribute = options;
    // "A full buffer or errors": no column.
    else if (own.entity === this.out.head && this.joiner === 'or') {
      this.flush();
      this.put(this.head, presence(own.field, attribute.type, true));
    } else if (own.entity === this.out.head) this.out.shown.push(own.field);
    else return false;
    if (attribute.type === 'time' && isLed) this.verb = { options, text: segment.text };
    return true;
  }

  private takeValue(segment: Segment): boolean {
    const item = segment.items.value!;
    // "Cases with client Birch" wait for none.
    if (/^with (?:the )?(?:client|customer)$/i.test(segment.text) && this.next()?.items.value?.isName) return true;
    if (item.isGuess) this.out.isGuess = true;
    // "When was case 12 closed"
    const led = item.verbs?.find(({ entity }) => entity === this.out.head);
    if (led && !this.not && !this.out.superlative && !this.leadsTime() && /^when\b/i.test(this.segments[0]!.text))
      return this.mark(() => this.out.shown.push(led.field));
    if (item.options.some(({ field }) => field === 'isOpen') && isPastBefore(this.segments.slice(0, this.at)))
      this.out.isPastOpen = true;
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
    const isPlain = item.isName || options.every(({ field }) => days.has(field));
    if (isFurther && !isPlain && !this.segments[this.at + 1]?.items.anything) return false;
    const isSticky = isSame || isFurther;
    if (this.joinsExcluded(options, item.noun)) return true;
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
      isAfterThat: this.glue === 'that' && this.joiner === 'next',
      isAfterComma: this.isAfterComma && this.joiner === 'and',
      isOnly: this.isOnly,
      isBeforeNoun: !this.out.isHeadSaid,
      fields,
    });
    if (item.isName) this.glue = undefined;
    this.orderByNoun(item.noun);
    this.isOnly = false;
    this.sticky = isNegated ? { isExcept, field: options[0]?.field ?? '' } : undefined;
    this.not = undefined;
    this.joiner = 'next';
    this.attribute = undefined;
    return true;
  }
}
