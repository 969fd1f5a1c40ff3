/** Times of a reading: of the records, of a state, of records related to things that only are. */
import type { QueryComparison, QueryTime } from '@parapet/contract/rules/query.ts';
import { flagOfRelated } from './canonical.ts';
import type { Frame } from './frames.ts';
import { Framing } from './framing.ts';
import type { Named } from './items.ts';

export abstract class Timing extends Framing {
  protected abstract compareNumber(
    comparison: QueryComparison,
    value: number,
    unit: 'minutes' | 'percent' | undefined,
    text: string,
  ): boolean;

  protected takeTime(time: QueryTime): boolean {
    this.flush();
    const not = this.not;
    this.not = undefined;
    if (this.verb && this.takeVerbTime(this.verb.options, time, not !== undefined)) return true;
    const { entity: own, conditions } = this.current;
    // "Alerts without a case yesterday": the alerts are of yesterday.
    const isFlag = conditions.length === 0 && flagOfRelated(this.head.entity, own) !== undefined && !this.head.time;
    const frame = this.schemas[own].time !== undefined && !isFlag ? this.current : this.head;
    const { time: field } = this.schemas[frame.entity];
    if (frame === this.head && this.stateVerb !== undefined && !this.out.isCompared && !not) {
      const state = this.stateVerb;
      if (state !== field && this.isComparedLater()) {
        this.out.comparedState = state;
        return this.mark(() => this.addTime(this.head, time));
      }
      this.stateVerb = undefined;
      this.out.stateTime = state;
      return this.mark(() => this.put(frame, { field: state, filter: { field: state, within: time }, isNegated: false }));
    }
    if (not && field === undefined) return this.takeHappening(time, true);
    // "With alerts last month but none this month"
    if (not && frame !== this.head && isDeniedAgain(not, frame, time)) {
      this.out.frames.push({ ...frame, time, isNegated: true });
      return true;
    }
    if (not && field !== undefined) {
      this.put(frame, { field, filter: { field, within: time }, isNegated: true });
      return true;
    }
    if (field === undefined) return this.takeHappening(time, false);
    // Only ends have times in the future.
    if (Date.parse(time.start) > this.now - 60_000) return false;
    this.addTime(frame, time);
    return true;
  }

  /** "Closed last month": the time that the verb leads. */
  private takeVerbTime(options: readonly Named[], time: QueryTime, isNegated: boolean): boolean {
    const own =
      options.find(({ entity }) => entity === this.current.entity) ?? options.find(({ entity }) => entity === this.out.head);
    if (!own) return false;
    const isHead = own.entity === this.out.head;
    const isOwnTime = own.field === this.schemas[own.entity].time;
    if (isHead && !isOwnTime && !isNegated && this.isComparedLater()) {
      this.verb = undefined;
      this.out.comparedState = own.field;
      return this.mark(() => this.addTime(this.head, time));
    }
    if (isHead && this.out.isCompared) return false;
    const frame = own.entity === this.current.entity ? this.current : this.head;
    this.verb = undefined;
    if (!isOwnTime || isNegated || frame.time !== undefined)
      return this.mark(() => this.put(frame, { field: own.field, filter: { field: own.field, within: time }, isNegated }));
    this.out.hasTimeVerb = true;
    return this.mark(() => (frame.time = time));
  }

  /** "Closed this month, against last month": a second time follows, after words of comparison. */
  private isComparedLater(): boolean {
    const later = this.segments.slice(this.at + 1);
    const at = later.findIndex(({ items }) => items.versus ?? items.compare);
    return this.out.isCompared
      ? later.some(({ items }) => items.time)
      : at >= 0 && later.slice(at + 1, at + 3).some(({ items }) => items.time);
  }

  private addTime(frame: Frame, time: QueryTime): void {
    if (frame.time === undefined && !(this.isOf && frame === this.head && this.head.time)) frame.time = time;
    else {
      this.out.times.push(time);
      this.out.areTimesJoined = this.joiner !== 'next' && !this.isAfterComma;
    }
  }

  /** Entities without a time of their own ("devices seen this week", "techniques not seen last month") are those with alerts in it. */
  private takeHappening(time: QueryTime, isNegated: boolean): boolean {
    // A device or a client is at any time; a technique or a rule occurs.
    // "Hosts that went dark in the last 24 hours": the last event was then.
    const seen = { device: 'lastEventAt', collector: 'lastSeenAt' }[this.out.head as string];
    const isSilent = this.head.conditions.some(
      ({ filter }) =>
        'in' in filter && filter.field === 'state' && filter.in.every((state) => state === 'silent' || state === 'stale'),
    );
    // "Silent for 3 days"
    if (seen !== undefined && isSilent && !isNegated && /^for\b/i.test(this.segments[this.at]?.text ?? ''))
      return this.compareNumber('>=', minutesOf(time), 'minutes', 'age');
    if (seen !== undefined && isSilent && !isNegated)
      return this.mark(() => this.put(this.head, { field: seen, filter: { field: seen, within: time }, isNegated: false }));
    if (!['rule', 'technique', 'tactic', 'user'].includes(this.out.head)) {
      if (isNegated || this.waiting) return false;
      return this.mark(() => (this.waiting = time));
    }
    // "Blocked last week" is a time of the blocking, which is not kept here.
    if (this.head.conditions.some(({ filter }) => 'is' in filter)) return false;
    this.out.cost += 0.5;
    const known = this.out.frames.slice(1).find((frame) => frame.entity === 'alert' && !frame.isNegated && !frame.time);
    if (known && !isNegated) known.time = time;
    else this.out.frames.push({ entity: 'alert', conditions: [], time, isNegated });
    return true;
  }
}

/** "With alerts today but not yesterday": others of the same records. */
const isDeniedAgain = (not: { isExcept: boolean; isStrong: boolean }, { time: own }: Frame, time: QueryTime): boolean =>
  own !== undefined && (time.end <= own.start || own.end <= time.start || (not.isStrong && !not.isExcept));

const unitMinutes: Readonly<Record<string, number>> = { hour: 60, day: 1_440, week: 10_080 };
/** "The last 3 days" begin at a midnight; as a length they are three whole days. */
function minutesOf({ start, end, label }: QueryTime): number {
  const [, count, unit] = /^the last (\d+) (hour|day|week)s$/.exec(label) ?? [];
  return count && unit ? Number(count) * unitMinutes[unit]! : Math.round((Date.parse(end) - Date.parse(start)) / 60_000);
}
