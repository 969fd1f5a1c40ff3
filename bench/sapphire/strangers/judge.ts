/** Compares an answer with the truth. Whatever a machine cannot decide is left for judgement by hand. */
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import type { Kind, Truth } from './questions.ts';

/** `hand`: left to a person. */
export const outcomes = ['right', 'refused', 'clarified', 'wrong', 'hand'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Given {
  answer: SapphireAnswer;
  /** Ids of the rows, as far as they are kept or linked. */
  ids: readonly string[];
}

const refusal = /^(?:I can’t answer|I didn’t understand|I couldn’t find|The query timed out)/;
const noChange = /can’t make changes|changes nothing|doesn’t change anything|nothing is changed/i;
const noData = /data begins|(?:isn’t|aren’t|not) (?:kept|measured|recorded)/i;

export const isRefusal = ({ kind, sapphireEndpointResponse: text }: SapphireAnswer): boolean =>
  kind === 'unknown' || kind === 'support' || refusal.test(text);

/** Without truth (undefined) only refusals are judged. */
export function judge(kind: Kind, { answer, ids }: Given, truth: Truth | undefined): Outcome {
  const text = answer.sapphireEndpointResponse;
  if (kind === 'command') return noChange.test(text) ? 'right' : isRefusal(answer) ? 'refused' : 'hand';
  if (kind === 'forbidden') return isRefusal(answer) && answer.table === null ? 'right' : 'hand';
  if (kind === 'unanswerable') return isRefusal(answer) || noData.test(text) ? 'right' : 'hand';
  if (answer.kind === 'question' || /^Do you mean/.test(text)) return kind === 'ambiguous' ? 'right' : 'clarified';
  if (isRefusal(answer)) return 'refused';
  if (truth === undefined || kind === 'ambiguous') return 'hand';
  const isRight = agrees({ answer, ids }, truth);
  return isRight === undefined || (isRight && isWeak(truth)) ? 'hand' : isRight ? 'right' : 'wrong';
}

/** None or one: many a wrong reading has the same result. */
const isWeak = (truth: Truth): boolean =>
  (truth.kind === 'rows' && truth.ids.length === 0) || (truth.kind === 'numbers' && truth.numbers.every((number) => number < 2));

function agrees({ answer, ids }: Given, truth: Truth): boolean | undefined {
  const [first = ''] = answer.sapphireEndpointResponse.split('\n');
  switch (truth.kind) {
    case 'rows': {
      if (truth.ids.length === 0) return mentions(first, 0) && ids.length === 0 && (answer.table?.rows.length ?? 0) === 0;
      if (ids.length === 0) return mentions(first, truth.ids.length) ? undefined : false;
      const wanted = new Set(truth.ids);
      if (namesThem(answer, wanted)) return true;
      const areTheirs = ids.every((id) => wanted.has(id));
      const isWhole = ids.length === wanted.size || (ids.length >= 10 && mentions(first, wanted.size));
      return areTheirs && isWhole;
    }
    case 'numbers': {
      const text = numberText(answer);
      return truth.numbers.every((number) => mentions(text, number));
    }
    case 'groups': {
      const rows = (answer.table?.rows ?? []).map(({ cells }) => cells.join(' | '));
      const lines = rows.length > 0 ? [...rows, first] : answer.sapphireEndpointResponse.split('\n');
      const isSaid = ([key = '', ...values]: string[]) =>
        lines.some(
          (line) => line.toLowerCase().includes(key.toLowerCase()) && values.every((value) => mentions(line, Number(value))),
        );
      const areThere = truth.groups.filter(([, value]) => value !== '0').every(isSaid);
      return areThere && (rows.length === truth.groups.length || undefined);
    }
    case 'other':
      return undefined;
  }
}

/** Ids that are shown, such as CVEs: one column has exactly these. */
const namesThem = ({ table }: SapphireAnswer, wanted: ReadonlySet<string>): boolean =>
  (table?.columns ?? []).some((_, column) => {
    const cells = new Set(table?.rows.map(({ cells: own }) => String(own[column])));
    return cells.size === wanted.size && [...wanted].every((id) => cells.has(id));
  });

/** The first two lines: further ones may have other numbers. */
const numberText = ({ sapphireEndpointResponse }: SapphireAnswer): string =>
  sapphireEndpointResponse.split('\n').slice(0, 2).join('\n');

/** As digits (rounded to the places shown), or in words for none and one. */
export function mentions(text: string, number: number): boolean {
  if (number === 0 && /\b(?:no|(?<!from )none|nothing)\b/i.test(text)) return true;
  if (number === 1 && /\b(?:one|a single)\b/i.test(text)) return true;
  const numbers = [...text.matchAll(/(?<![\d.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\d.,-])\d+(?:\.\d+)?/g)].map(
    ([found]) => found,
  );
  return numbers.some((found) => {
    const places = found.split('.')[1]?.length ?? 0;
    return Math.abs(Number(found.replaceAll(',', '')) - number) <= (Number.isInteger(number) ? 0 : 0.51 / 10 ** places);
  });
}
