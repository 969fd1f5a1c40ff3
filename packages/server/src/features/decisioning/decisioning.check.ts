/**
 * The check of every text about a case: no address, hash or link that its facts lack, and in a sentence of evidence the cited value itself. Applied when
 * a verdict is written, when it is read, and to a language model's prose.
 */
import { visible } from '../../domain/quote.ts';

const addressLike = String.raw`\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[0-9a-f]{32,}\b|[0-9a-f]*:[0-9a-f:]{4,}|https?:\/\/[^\s“”]+`;
const values = new RegExp(addressLike, 'gi');
const valuesAndNumbers = new RegExp(`${addressLike}|${String.raw`\b\d{2,}\b`}`, 'gi');

/** First checkable value of a text that its facts lack; undefined without one. Numbers count only with `hasNumbers`. */
export function inventedIn(text: string, facts: string, hasNumbers = false): string | undefined {
  const known = facts.toLowerCase();
  return text
    .toLowerCase()
    .match(hasNumbers ? valuesAndNumbers : values)
    ?.find((each) => !known.includes(each));
}

/** Least length of a quoted part of a value; a shorter quotation must be the whole value. */
const minPart = 4;
const shown = (value: string): string => visible(value).replace(/[“”]/g, '"').toLowerCase();

/** True if one of the text's quotations is the value or a part of it. */
export function speaksOf(text: string, value: string): boolean {
  const whole = shown(value);
  return [...text.toLowerCase().matchAll(/“([^”]*)”/g)].some(([, quoted]) => {
    const part = quoted!.replace(/…$/, '');
    return part !== '' && (part === whole || (part.length >= minPart && whole.includes(part)));
  });
}

/** True for a sentence that speaks of its citation and of nothing that neither the citation nor its `names` (rules, lists) contain. */
export function isSound(text: string, value: string, names = ''): boolean {
  return speaksOf(text, value) && inventedIn(text, `${shown(value)} ${shown(names)}`) === undefined;
}
