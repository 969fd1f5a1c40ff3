/** Readings of one part of a question: one for each entity that it can be about, and those that continue from the question before. */
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import { build } from './build.ts';
import { Composer } from './compose.ts';
import type { Composed } from './composed.ts';
import { asksAbout, follow, inRoleOf, isSubject, refersToRecords, relatedTo, retargeted, siblingsOf } from './follow.ts';
import { areRelated, homonyms, type Schemas } from './frames.ts';
import { areValuesOf, impliedBy, isBare, isIdle, saysMore, severalMeans } from './implied.ts';
import type { Edge } from './items.ts';
import { meanOfEach } from './means.ts';
import type { ParserInput } from './parsed.ts';
import { hasContent } from './parts.ts';
import { edgesFor, type Segment, segmentsOf } from './segments.ts';
import type { Token } from './tokens.ts';

export interface Reading {
  queries: Query[];
  left: string[];
  cost: number;
  alternatives: Query[];
  /** Understood, but by a guess: needs a clarification. */
  isGuess?: boolean;
}

export interface Scene {
  input: ParserInput;
  text: string;
  tokens: readonly Token[];
  edges: readonly Edge[];
  previous: readonly Query[];
  /** The readings are offered as choices: those of other subjects as well. */
  isAsked?: boolean;
}

/** Default entity of a question without a noun. */
const usual: readonly QueryEntity[] = ['alert', 'case', 'device'];

/** One reading for each entity that the part can be about. */
export const readWhole = (segments: readonly Segment[], scene: Scene, isContinued: boolean): Reading[] =>
  new PartReader(segments, scene, isContinued).all();

class PartReader {
  private readonly segments: readonly Segment[];

  private readonly scene: Scene;

  /** A further part of one question. */
  private readonly isContinued: boolean;

  private readonly schemas: Schemas;

  private readonly before: Query | undefined;

  /** Entities by their nouns, and by choices that stand as nouns. */
  private readonly mentioned: readonly QueryEntity[];

  private readonly nouns: readonly QueryEntity[];

  private readonly heads: Set<QueryEntity>;

  private readonly readings: Reading[] = [];

  constructor(segments: readonly Segment[], scene: Scene, isContinued: boolean) {
    this.segments = segments;
    this.scene = scene;
    this.isContinued = isContinued;
    this.schemas = scene.input.lexicon.schemas;
    this.before = scene.previous.at(-1);
    this.mentioned = this.mentionedIn(scene.edges);
    this.nouns = segments.flatMap(({ items, isPlural }, index) =>
      items.value?.noun && !segments[index - 1]?.items.group && (isPlural || !segments[index + 1]?.items.entity)
        ? [items.value.noun]
        : [],
    );
    this.heads = new Set([...this.mentioned, ...this.nouns, ...this.mentioned.flatMap((entity) => homonyms[entity] ?? [])]);
  }

  all(): Reading[] {
    const { segments, before, heads, isContinued } = this;
    const isWild = !isContinued && segments.some(isWildcard);
    // "Failed logins per user": the noun divides, and is no condition of the records.
    const isNoun = ({ items }: Segment) => Boolean(items.entity ?? items.value?.noun);
    const undivided = segments.filter((_, index) => !segments[index - 1]?.items.group);
    const dividing = segments.filter((segment) => !undivided.includes(segment));
    if (this.mentioned.length > 0 && !before && dividing.some(isNoun) && !undivided.some(isNoun))
      for (const entity of impliedBy(undivided)) heads.add(entity);
    // "Criticals over 30 days old that are unpatched": a severity stands for records of any kind.
    const nounValues = segments.flatMap(({ items: { value } }) => (value?.noun ? [value] : []));
    const isOfSeverity =
      nounValues.length > 0 && nounValues.every(({ options }) => options.some(({ field }) => field === 'severity'));
    if (!undivided.some(({ items }) => items.entity) && !before && this.nouns.length > 0 && isOfSeverity)
      for (const entity of impliedBy(segments)) heads.add(entity);
    if (this.mentioned.length + this.nouns.length === 0 && (!before || isWild))
      for (const entity of impliedBy(segments)) heads.add(entity);
    if (heads.size === 0 && before) heads.add(before.entity);
    for (const head of heads) this.read(head);
    // "Agent source only": the noun was no subject.
    const hasSubject = segments.some(
      ({ items, isPlural, text }) => (items.entity && isPlural) || (items.value?.noun && (isPlural || /s$/i.test(text))),
    );
    if (!hasSubject && !isContinued && this.hasLeft() && (!before || isWild))
      this.readOthers((head) => areValuesOf(head, segments, this.schemas[head]), false);
    if (!before || !segments.some(hasContent)) return this.readings;
    this.continueFrom(before);
    if (!isContinued && this.hasLeft()) this.readOthers(() => true, true);
    return this.readings;
  }

  /** Other subjects, which the words imply. */
  private readOthers(fits: (head: QueryEntity) => boolean, isGuess: boolean): void {
    for (const head of impliedBy(this.segments)) if (!this.heads.has(head) && fits(head)) this.read(head, isGuess);
  }

  private hasLeft = (): boolean => this.readings.every(({ left }) => left.length > 0);

  private mentionedIn(edges: readonly Edge[]): QueryEntity[] {
    const { segments, before } = this;
    // Nouns inside longer words count: "closed cases" is a kind of mail as well.
    const isInside = ({ from, to }: Edge) =>
      segments.some(
        ({ items, ...segment }) =>
          segment.from <= from &&
          to <= segment.to &&
          !items.value?.isName &&
          // "Without a review" is a state.
          !(
            to - from < segment.to - segment.from &&
            /^with/i.test(segment.text) &&
            items.value?.options.every(({ filter }) => 'is' in filter)
          ) &&
          !items.time &&
          // "Log in" is no log.
          !(items.verb && !items.value && to - from < segment.to - segment.from),
      );
    // "By client" after a question divides that one.
    const isDivider = ({ from }: Edge) =>
      before !== undefined && segments.some((segment) => segment.to === from && segment.items.group && !segment.items.bucket);
    return [
      ...new Set(
        edges.flatMap((edge) => (edge.item.kind === 'entity' && isInside(edge) && !isDivider(edge) ? [edge.item.entity] : [])),
      ),
    ];
  }

  /** The segments without the senses of other entities. */
  private covered(head: QueryEntity): Segment[] {
    const { tokens, text, edges } = this.scene;
    const named = [...this.mentioned, ...this.nouns];
    // Conditions of two kinds that meet in alerts are of these.
    const isBridged = named.some((entity) => entity !== head && !areRelated(this.schemas, head, entity));
    const own = edgesFor(edges, new Set([head, ...named, ...(isBridged ? ['alert' as const] : [])]));
    const ranges: [number, number][] = [];
    for (const { from, to } of this.segments) {
      const last = ranges.at(-1);
      if (last && last[1] === from) last[1] = to;
      else ranges.push([from, to]);
    }
    return ranges.flatMap(([from, to]) => segmentsOf(tokens, text, own, from, to));
  }

  private compose = (head: QueryEntity, hasPrevious: boolean, isHeadKnown = false): Composed =>
    new Composer(this.covered(head), head, this.schemas, this.scene.input.now, hasPrevious, isHeadKnown).run();

  private read(head: QueryEntity, isGuess = false): void {
    const { before, schemas, segments } = this;
    const composed = this.compose(head, before !== undefined);
    const mean = meanOfEach(composed, schemas);
    const { query, left } = mean ? { query: mean, left: [] } : build(composed, schemas, undefined);
    if (composed.reference !== undefined && before !== undefined) return;
    const isNoun = this.heads.has(head) && this.mentioned.length + this.nouns.length > 0;
    if (!isNoun && isOnlyShown(query, composed)) left.push(...segments.filter(hasContent).map(({ text }) => text));
    if (composed.reference !== undefined) left.push('those');
    this.readings.push({
      queries: severalMeans(query, schemas[head]),
      isGuess:
        isGuess ||
        composed.isGuess ||
        // Actions on records, where the records may be meant.
        (head === 'audit' && !this.mentioned.includes(head) && !composed.isWho && !segments.some(isOfLog)) ||
        (composed.isWho && query.groupBy?.[0] === 'user' && segments.some(isDone)) ||
        segments.some(isPossible) ||
        isIdle(query, schemas[head]) ||
        (isBare(query) && saysMore(segments, head)) ||
        (before !== undefined && !query.where && !query.time && !query.groupBy && !query.orderBy),
      left,
      cost: composed.cost + this.placeOf(head) + (isNoun ? 0 : this.unsaidCost(head)),
      alternatives: [],
    });
  }

  /** A later noun is less likely the subject. */
  private placeOf(head: QueryEntity): number {
    const { segments, mentioned } = this;
    const first = segments.findIndex(({ items }) => items.entity?.entity === head || items.value?.noun === head);
    const place =
      segments.slice(0, Math.max(0, first)).filter(({ items }) => items.entity ?? items.value?.noun).length +
      (!mentioned.includes(head) && mentioned.some((entity) => homonyms[entity]?.includes(head)) ? 0.4 : 0);
    return place * 0.3 + (first < 0 && mentioned.includes(head) ? 0.2 : 0);
  }

  /** Words that any entity has ("open", "Birch") alone are a question about none; a rule, a technique or a subject of attacks is about alerts. */
  private unsaidCost(head: QueryEntity): number {
    const isOfRule = this.segments.some(({ items: { value } }) =>
      value?.options.some(
        ({ entity, field }) =>
          (value.isName && (field === 'rule' || field === 'technique')) ||
          (entity === 'alert' && ['text', 'category', 'tactic', 'technique'].includes(field)),
      ),
    );
    return head === 'alert' && isOfRule ? 0.8 : usual.includes(head) ? 1 : 1.1;
  }

  private continueFrom(before: Query): void {
    const { segments, schemas, mentioned, isContinued } = this;
    const isFollowed =
      mentioned.length === 0 ||
      segments.some(({ items }) => items.reference ?? (mentioned.includes(before.entity) ? undefined : items.anything));
    const subject = isContinued ? undefined : asksAbout(segments);
    // "And no silent servers either"
    const isNarrowed =
      !isContinued &&
      !isFollowed &&
      segments.slice(0, 3).some(({ items, text }) => !/which|what/i.test(text) && (items.not ?? items.except ?? items.have));
    if (isFollowed || isNarrowed || subject === 'column') this.follow(before, isFollowed, isNarrowed);
    const refers = !isContinued && refersToRecords(segments);
    for (const head of this.heads) {
      const isOfSubject = !isContinued && isSubject(before) && mentioned.includes(head);
      if (head === before.entity || (subject === undefined && !refers && !isOfSubject)) continue;
      const composed = this.compose(head, true);
      const built = build(composed, schemas, undefined);
      const isSame = (subject === 'same' || before.entity === 'risk') && !refers;
      const other = isSame ? retargeted(before, built, composed, schemas) : relatedTo(before, built, schemas);
      if (!other) continue;
      const cost = composed.cost - 2 + (mentioned.includes(head) ? 0 : 0.5);
      this.readings.push({ queries: [other.query], left: other.left, cost, alternatives: [], isGuess: composed.isGuess });
    }
  }

  private follow(before: Query, isFollowed: boolean, isNarrowed: boolean): void {
    const { schemas, segments, nouns } = this;
    const composed = this.compose(before.entity, true, !isFollowed);
    const isName = segments.every(
      (each) => !hasContent(each) || (each.items.value?.isName ?? each.items.time ?? each.items.measure),
    );
    const followed = siblingsOf(this.scene.previous).map((each) => {
      const built = build(composed, schemas, each);
      return follow(each, isName ? inRoleOf(each, built, schemas) : built, composed, schemas);
    });
    const isOther =
      nouns.length > 0 &&
      !nouns.includes(before.entity) &&
      !isNarrowed &&
      !areValuesOf(before.entity, segments, schemas[before.entity]);
    this.readings.push({
      queries: followed.map(({ query }) => query),
      left: [...new Set(followed.flatMap(({ left }) => left))],
      cost: composed.cost - 1.5 + (isOther ? 1.5 : 0) + (isFollowed ? 0 : isNarrowed ? -0.7 : 0.5),
      alternatives: [],
      isGuess: composed.isGuess,
    });
  }
}

/** "Everything", "anything": of whatever the rest implies. */
const isWildcard = ({ items, text }: Segment): boolean =>
  items.anything !== undefined && /^(?:(?:any|every|some)thing|stuff|all)$/i.test(text);

/** "Who muted …": done by a person of the portal, and no user of events. */
const isDone = ({ items: { value }, text }: Segment, at: number, segments: readonly Segment[]): boolean =>
  segments[at - 1]?.items.who !== undefined && value !== undefined && !value.isName && /ed$/i.test(text);

/** "Failed logins" are in the log alone. */
const isOfLog = ({ items: { value } }: Segment): boolean => value?.options.every(({ entity }) => entity === 'audit') === true;

/** "Could be repaired", "must be closed": it is not so. */
const isPossible = ({ items: { value } }: Segment, at: number, segments: readonly Segment[]): boolean =>
  value !== undefined &&
  !value.isName &&
  /\b(?:can|could|should|must|might|would|cannot|cant) (?:still |also |soon )?be$/i.test(
    segments
      .slice(Math.max(0, at - 3), at)
      .map(({ text }) => text)
      .join(' '),
  );

/** Nothing of the entity but columns. */
const isOnlyShown = ({ where, time, groupBy }: Query, { measure, superlative }: Composed): boolean =>
  groupBy === undefined &&
  (measure === undefined || measure === 'list') &&
  superlative === undefined &&
  where === undefined &&
  time === undefined;
