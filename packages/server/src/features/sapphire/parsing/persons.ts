/** Persons of a reading: those who did what a verb names, counted or divided by. */
import { namesOf } from './frames.ts';
import type { Segment } from './segments.ts';
import { Timing } from './timing.ts';

export abstract class Persons extends Timing {
  /** "Closed by Imani": the person attribute that the verb names. */
  protected personFields(isName: boolean): string[] {
    if (!isName) return [];
    // "Cases Priya closed as benign"
    const leads = ({ items, text }: Segment) =>
      items.verb !== undefined ||
      items.value?.verbs !== undefined ||
      (/ /.test(text) && this.timeOfVerb(firstOf(text)) !== undefined);
    // "Did Miguel and Nadia close"
    const joined = ({ items }: Segment) => items.and ?? items.or ?? items.value?.isName;
    const beside = this.next();
    const next = beside && joined(beside) ? this.segments.slice(this.at + 1).find((each) => !joined(each)) : beside;
    const lead = this.verb?.text ?? (next && leads(next) ? next : this.segments.slice(0, this.at).reverse().find(leads))?.text;
    const verb =
      lead && this.timeOfVerb(lead) === undefined && this.timeOfVerb(firstOf(lead)) !== undefined ? firstOf(lead) : lead;
    const person = [...this.out.groups, ...this.out.shown].find(this.isPerson);
    if (verb === undefined) return person === undefined ? [] : [person];
    return Object.entries(this.schemas[this.out.head].attributes)
      .filter(([, { words }]) => words.includes(`${verb.toLowerCase()} by`))
      .map(([field]) => field);
  }

  protected readonly isPerson = (field: string): boolean => namesOf(this.schemas[this.out.head].attributes[field]) === 'account';

  /** "Analysts who closed": those that are counted or divided by are of that verb. */
  protected replacePerson(field: string): boolean {
    const { groups, distinct } = this.out;
    const at = groups.findIndex(this.isPerson);
    if (distinct !== undefined && this.isPerson(distinct)) this.out.distinct = field;
    else if (at >= 0 && !this.isGroup) groups.splice(at, 1, field);
    else return false;
    return true;
  }

  /** Persons whose attribute was not named: of the verb, "analysts closed", else those that the records are assigned to. */
  protected settlePersons(): void {
    const { groups, distinct, having } = this.out;
    const isCounted = distinct !== undefined && this.isPerson(distinct);
    if (!isCounted && !(having && groups.some(this.isPerson))) return;
    const verb = this.segments.find(({ items, text }) => items.verb ?? items.value?.verbs ?? this.timeOfVerb(firstOf(text)));
    if (!verb) return;
    const [field] = this.personFields(true);
    if (field === undefined) this.out.left.push(verb.text);
    else this.replacePerson(field);
  }

  /** "How many analysts closed cases", "analysts with more than 3 open cases": the persons of these records, counted or divided by. */
  protected takePersons({ items }: Segment): boolean {
    const { head, isHeadSaid, measure, distinct } = this.out;
    const isPerson = items.entity?.entity === 'account' || (items.value?.noun === 'account' && items.attribute !== undefined);
    const field = this.groupField('account');
    if (!isPerson || field === undefined || head === 'account' || head === 'user' || isHeadSaid || this.pre.length > 0)
      return false;
    const isCounted = measure === 'count' && distinct === undefined && this.segments.slice(this.at + 1).some(this.isOfHead);
    if (!isCounted && !this.asksForGroup('account')) return false;
    if (isCounted) this.out.distinct = field;
    else this.out.groups.push(field);
    return true;
  }

  private readonly isOfHead = ({ items: { entity, value } }: Segment): boolean =>
    entity?.entity === this.out.head ||
    value?.noun === this.out.head ||
    (!value?.isName && value?.options.some((option) => option.entity === this.out.head)) === true;
}

const firstOf = (text: string): string => text.toLowerCase().split(' ')[0]!;
