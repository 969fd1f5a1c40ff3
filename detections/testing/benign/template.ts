/**
 * Texts with gaps: `«u»` is filled by name, `«=a|b»` by one of the choices, which may have gaps themselves. In choices `¦` stands for a
 * pipe. Compiled once; filling allocates only the result.
 */
import type { Random } from './random.ts';

export type Fill<Context> = (random: Random, context: Context) => string;
export type Gaps<Context> = (name: string) => Fill<Context> | undefined;

/** Compiles a text. Throws for a gap without a name in `gaps` and for one that is not closed. */
export function templateOf<Context>(text: string, gaps: Gaps<Context>): Fill<Context> {
  const parts: (string | Fill<Context>)[] = [];
  let from = 0;
  while (from < text.length) {
    const open = text.indexOf('«', from);
    if (open < 0) {
      parts.push(text.slice(from));
      break;
    }
    if (open > from) parts.push(text.slice(from, open));
    const close = closing(text, open);
    parts.push(gapOf(text.slice(open + 1, close), gaps));
    from = close + 1;
  }
  if (parts.every((part) => typeof part === 'string')) {
    const whole = parts.join('').replaceAll('¦', '|');
    return () => whole;
  }
  return (random, context) => {
    let filled = '';
    for (const part of parts) filled += typeof part === 'string' ? part.replaceAll('¦', '|') : part(random, context);
    return filled;
  };
}

function gapOf<Context>(gap: string, gaps: Gaps<Context>): Fill<Context> {
  if (!gap.startsWith('=')) {
    const fill = gaps(gap);
    if (!fill) throw new Error(`There is no gap «${gap}».`);
    return fill;
  }
  const choices = splitOutside(gap.slice(1), '|').map((choice) => templateOf(choice, gaps));
  return (random, context) => choices[Math.floor(random() * choices.length)]!(random, context);
}

/** Index of the bracket that closes the one at `open`. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '«') depth++;
    else if (text[at] === '»' && --depth === 0) return at;
  }
  throw new Error(`A gap is not closed: ${text}`);
}

/** Splits at a separator that stands outside of gaps. */
export function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '«') depth++;
    else if (text[at] === '»') depth--;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
      at = from - 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}
