/** Frames of a reading: gives waiting values to the records that they are about, and relates other records. */
import type { QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { Pending } from './composed.ts';
import { addCondition, areRelated, type Condition, type Frame, type Joiner, optionOf, relationOf, signed } from './frames.ts';
import type { Option } from './items.ts';
import { Placing } from './placing.ts';

export const days: ReadonlySet<string> = new Set(['weekday', 'isWeekend', 'hour', 'isWorkingHours']);

export abstract class Framing extends Placing {
  /** Frames of what is denied, each with the one that it was made of. */
  private readonly denied: { frame: Frame; of: Frame }[] = [];

  private deny(of: Frame, conditions: Condition[]): void {
    const frame = { ...of, conditions, isNegated: true };
    this.denied.push({ frame, of });
    this.out.frames.push(frame);
  }

  private takeCount(of: QueryEntity): Pick<Frame, 'count'> {
    if (this.count?.entity !== of) return {};
    const { entity: _, ...count } = this.count;
    this.count = undefined;
    return { count };
  }

  /** "Except on Monday mornings": days and hours beside each other are left out together. */
  protected joinsExcluded(options: readonly Option[], noun: QueryEntity | undefined): boolean {
    const last = this.pre.at(-1);
    const isDay = last?.option.every(({ field }) => days.has(field)) && options.every(({ field }) => days.has(field));
    // "Not from Alder's servers"
    const isBeside = this.segments[this.at - 1]?.items.value !== undefined || this.segments[this.at - 1]?.text === "'s";
    if (!last?.isNegated || this.joiner !== 'next' || !(isDay || (isBeside && noun !== undefined && noun !== this.out.head)))
      return false;
    last.option = last.option.flatMap((option) => {
      const other = options.find(({ entity }) => entity === option.entity);
      return other ? [{ ...option, filter: { and: [option.filter, other.filter] } }] : [];
    });
    return true;
  }

  protected relate(entity: QueryEntity): void {
    // "Alerts with over 3 devices": each has one.
    const own = this.groupField(entity);
    if (this.count?.entity === entity && own !== undefined && this.schemas[this.out.head].attributes[own]!.type === 'name')
      this.out.left.push(String(this.count.value));
    // "Clients except Alder with alerts": the exclusion is the head's.
    if (this.pre[0]?.isExcept && optionOf(this.pre[0].option, this.out.head, [])) this.flush();
    const [first] = this.pre;
    const not = this.not ?? (first?.isNegated && first.isStrong ? { isExcept: first.isExcept } : undefined);
    if (first?.isNegated && first.isStrong) first.isNegated = false;
    this.not = undefined;
    const or = this.alternatives();
    this.current = { entity, conditions: [], isNegated: not !== undefined, ...this.takeCount(entity), ...(or && { or }) };
    this.out.frames.push(this.current);
    this.giveTime();
    this.flush();
    this.glue = undefined;
  }

  /** A time that the head lacks belongs to the related records that follow. */
  protected giveTime(): void {
    if (this.waiting === undefined || this.schemas[this.current.entity].time === undefined) return;
    this.current.time = this.waiting;
    this.waiting = undefined;
  }

  protected put(
    frame: Frame,
    condition: Condition,
    isNegated = condition.isNegated,
    joiner: Joiner = this.takeOr(),
    isExcept = false,
  ): void {
    const whole = { ...condition, isNegated };
    this.last = whole;
    // "With open cases or silent"
    if (joiner === 'or' && frame === this.head && this.current !== this.head) {
      this.current.or = [signed(whole), ...(this.current.or ?? [])];
      return;
    }
    addCondition(this.isOf && frame === this.head ? this.counted : frame, whole, joiner, isExcept);
  }

  /** The "or" before what is taken now. */
  private takeOr(): Joiner {
    const { joiner } = this;
    if (joiner === 'or') this.joiner = 'next';
    return joiner === 'or' ? 'or' : 'next';
  }

  /** Filters to which the related records after "or" are an alternative. */
  private alternatives(): QueryFilter[] | undefined {
    if ((this.pre[0] ? this.pre[0].joiner : this.takeOr()) !== 'or') return undefined;
    const { frames } = this.out;
    const other = this.current === this.head ? undefined : frames.splice(frames.indexOf(this.current), 1)[0];
    const last = other || this.head.conditions.at(-1)?.isNoun ? undefined : this.head.conditions.pop();
    // "Servers or with open cases"
    if (!other && !last) this.out.left.push('or');
    return other ? [relationOf(other)] : last && [signed(last)];
  }

  /** Counted part of a share, as a frame. */
  private get counted(): Frame {
    return { entity: this.out.head, conditions: this.out.of, isNegated: false };
  }

  /** Gives the values that wait for their noun to the nearest frame that has such an attribute. */
  protected flush(): void {
    // "Unscanned servers" of clients: the noun first.
    const isOther = ({ noun, option }: Pending) =>
      Number(noun !== undefined && noun !== this.out.head && optionOf(option, this.current.entity, []) === undefined);
    const waiting = [...this.pre].sort((a, b) => isOther(b) - isOther(a));
    this.pre = [];
    for (const [index, pending] of waiting.entries()) {
      // "Escalated, waiting or malicious": one of the three.
      const isListed =
        waiting[index + 1]?.joiner === 'or' &&
        !waiting[index + 1]!.option.some(({ field }) => pending.option.some((each) => each.field === field));
      this.placePending(pending.isAfterComma && isListed ? { ...pending, joiner: 'or' } : pending);
    }
  }

  private placePending(pending: Pending): void {
    const { option, label, noun, isNegated, isStrong, isExcept, isOnly, fields } = pending;
    const { head } = this.out;
    const frames = [this.current, this.head, ...[...this.out.frames].reverse()];
    const frame = frames.find(({ entity }) => optionOf(option, entity, fields) !== undefined);
    if (noun === head) this.out.isHeadSaid = true;
    if (frame) this.placeIn(frame, pending);
    else if (noun !== undefined && noun !== 'account' && optionOf(option, noun, fields) && areRelated(this.schemas, head, noun)) {
      const { field, filter } = optionOf(option, noun, fields)!;
      this.out.cost += 0.2;
      this.current = { entity: noun, conditions: [{ field, filter, isNegated: false }], isNegated, ...this.takeCount(noun) };
      this.out.frames.push(this.current);
      this.giveTime();
    } else if (
      optionOf(option, 'alert', fields) &&
      (inAlerts.has(head) || (isOwner.has(head) && option.some(({ field }) => isOfAlerts.has(field))))
    ) {
      // "Top techniques at Cedar": of the alerts in which they occur.
      const { field, filter } = optionOf(option, 'alert', fields)!;
      // "Seen zero of at Birch" denies the alerts, not the client.
      if (isNegated && isStrong && !isExcept) this.out.left.push('not');
      this.alerts().conditions.push({ field, filter, isNegated, ...(isOnly && { isOnly }) });
    } else if (!this.relateValue(option, isNegated)) this.out.left.push(label);
  }

  /** A value of the frame's own. */
  private placeIn(
    frame: Frame,
    { option, label, noun, isNegated, isStrong, joiner, isExcept, isAfterThat, isOnly, isBeforeNoun, fields }: Pending,
  ): void {
    const { field, filter } = optionOf(option, frame.entity, fields)!;
    if (isNegated && isStrong && !isExcept && isDenial(filter)) this.out.left.push(label);
    if (frame !== this.current) this.out.cost += 0.2;
    // "Critical alerts that are low"
    if (isAfterThat && !isNegated && excludes(frame, field, filter)) this.out.left.push(label);
    // "Seen at Birch, not at Alder": alerts of the one and none of the other.
    if (isNegated && frame !== this.head && frame.conditions.some((each) => each.field === field && !each.isNegated))
      this.deny(frame, [{ field, filter, isNegated: false }]);
    // "With open findings but no critical ones"
    else if (isNegated && isStrong && !isExcept && frame !== this.head && frame.conditions.length > 0)
      this.deny(frame, [...frame.conditions, { field, filter, isNegated: false }]);
    else
      this.put(
        frame,
        {
          field,
          filter,
          isNegated,
          ...(noun === this.out.head && { isNoun: true }),
          ...(isBeforeNoun && { isBeforeNoun }),
          ...(isOnly && frame !== this.head && { isOnly }),
        },
        isNegated,
        joiner,
        isExcept,
      );
  }

  /** "Rules that only fired at Cedar", "clients with only low alerts"; in "only those with low alerts" it stands before the noun. */
  protected takeOnly(): boolean {
    if (this.not) return false;
    const { items, text = '' } = this.segments[this.at + 1] ?? {};
    const isBeforeNoun = items?.that ?? items?.anything ?? items?.reference ?? items?.which ?? items?.time;
    const isSaid = this.out.isHeadSaid || this.pre.some(({ noun }) => noun === this.out.head);
    this.isOnly = isSaid && isBeforeNoun === undefined && !/^(?:with|those|the|show|list|where|if|when)\b/i.test(text);
    return true;
  }

  /** "Devices running winlogbeat": a value of one other entity alone is of related records, with a clarification. */
  private relateValue(options: readonly Option[], isNegated: boolean): boolean {
    const [first] = options;
    const isOne = first && options.every(({ entity }) => entity === first.entity);
    if (!isOne || !areRelated(this.schemas, this.out.head, first.entity)) return false;
    Object.assign(this.out, { isGuess: true, cost: this.out.cost + 2 });
    this.out.frames.push({
      entity: first.entity,
      conditions: [{ field: first.field, filter: first.filter, isNegated: false }],
      isNegated,
    });
    return true;
  }

  /** "Neither cases nor alerts this month", "both a case and a failed response this month", "at Birch, not at Alder this month": the time is of both. */
  protected shareTime(): void {
    for (const { frame, of } of this.denied) if (of.time) frame.time ??= of.time;
    const related = this.out.frames.slice(1);
    const time = related.at(-1)?.time;
    if (!time || !this.segments.some(({ text }) => /^(?:neither|both)(?: of)?$/i.test(text))) return;
    const isOpen = ({ conditions }: Frame) => conditions.some(({ field }) => field === 'isOpen');
    for (const frame of related) if (!isOpen(frame) && this.schemas[frame.entity].time !== undefined) frame.time ??= time;
  }

  private alerts(): Frame {
    const known = this.out.frames.slice(1).find(({ entity, isNegated }) => entity === 'alert' && !isNegated);
    if (known) return known;
    const made: Frame = { entity: 'alert', conditions: [], isNegated: false };
    this.out.frames.push(made);
    return made;
  }
}

/** Values that occur in alerts, and names that devices and clients have by their alerts: "which devices did SSH Brute Force fire on". */
const inAlerts: ReadonlySet<QueryEntity> = new Set(['rule', 'technique', 'tactic', 'user']);
const isOwner: ReadonlySet<QueryEntity> = new Set(['device', 'client']);
const isOfAlerts: ReadonlySet<string> = new Set(['rule', 'technique']);

/** "We have no unreviewed ones" is a question, not a claim that all are reviewed. */
const isDenial = (filter: QueryFilter): boolean => 'is' in filter && !filter.is;

/** True if the frame has other values of an attribute that has only one. */
const excludes = ({ conditions }: Frame, field: string, filter: QueryFilter): boolean =>
  'in' in filter &&
  conditions.some(
    (each) =>
      each.field === field &&
      !each.isNegated &&
      'in' in each.filter &&
      !each.filter.in.some((value) => filter.in.includes(value)),
  );
