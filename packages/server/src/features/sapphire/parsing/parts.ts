/** Divides a question at breaks, and where a new measure begins. */
import type { Segment } from './segments.ts';

/** `context`: names before a colon, which hold for every part. */
export function partsOf(segments: readonly Segment[]): { context: Segment[]; parts: Segment[][] } {
  const colon = segments.findIndex(({ items }) => items.colon);
  const context =
    colon > 0 &&
    !segments.slice(0, colon).some(({ text }) => /^but$/i.test(text)) &&
    segments.slice(0, colon).every(({ items }) => items.value?.isName || !hasContent({ items }))
      ? segments.slice(0, colon)
      : [];
  const parts: Segment[][] = [];
  let part: Segment[] = [];
  const close = () => {
    if (
      part.some(hasContent) &&
      !/^(?:none|no|ok|yes|really|right)$/i.test(
        part
          .map(({ text }) => text)
          .join(' ')
          .trim(),
      )
    )
      parts.push(part);
    part = [];
  };
  for (const [index, segment] of segments.entries()) {
    if (index <= colon && context.length > 0) continue;
    if (segment.items.break && !segment.items.filler) {
      close();
      continue;
    }
    const { items } = segment;
    const before = segments[index - 1]?.items;
    const isJoined = before?.and !== undefined || before?.comma !== undefined;
    const startsAnew =
      (items.measure && items.measure.measure !== 'list' && !items.attribute) ||
      items.who ||
      (items.which && (before?.and ?? (/^what/i.test(segment.text) ? before?.comma : undefined)));
    const isAside =
      isJoined &&
      !segments[index + 1]?.items.time &&
      /^(?:does|do|did|is|are|was|were|has|have|can) (?:it|they|that|he|she|this|those|these)\b/i.test(
        segments
          .slice(index, index + 2)
          .map(({ text }) => text)
          .join(' '),
      );
    if (isAside && part.some(hasContent)) close();
    if (
      isJoined &&
      startsAnew &&
      part.some(({ items: own }) => own.entity ?? own.value ?? own.reference) &&
      !(items.measure?.measure === 'exists' && before.except)
    )
      close();
    part.push(segment);
  }
  close();
  return { context: context.filter(hasContent), parts: parts.map((each, index) => withTailOf(each, parts[index + 1])) };
}

/** "Which device and which user had most alerts": conditions of the second noun hold for the first. */
function withTailOf(part: Segment[], next: Segment[] | undefined): Segment[] {
  const content = part.filter(hasContent);
  const noun = next?.findIndex(({ items }) => items.entity) ?? -1;
  const isNoun =
    content.length === 1 && content[0]!.items.entity && part.some(({ items }) => items.which) && part.at(-1)!.items.and;
  return isNoun && noun >= 0 && next!.slice(0, noun).some(({ items }) => items.which)
    ? [...part.slice(0, -1), ...next!.slice(noun + 1)]
    : part;
}

const silent = new Set(['filler', 'preposition', 'comma', 'and', 'that', 'which', 'follow', 'colon', 'break', 'anything']);
/** True for words besides those of the grammar. */
export const hasContent = ({ items }: Pick<Segment, 'items'>): boolean =>
  !Object.keys(items).every((kind) => silent.has(kind)) || (items.reference !== undefined && items.filler === undefined);

/** A verb and a time, which stand for words before. */
export const isElliptic = (rest: readonly Segment[]): boolean =>
  /^(?:did|do|does|have|has|had|were|was|are|is)\b/i.test(rest[0]?.text ?? '') &&
  !rest.some(({ items }) => items.entity ?? items.value ?? items.attribute ?? items.compare ?? items.number);
