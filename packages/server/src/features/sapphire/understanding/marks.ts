/** A text whose finds are marked, each by a mark such as "xdevice". Finds never overlap. */

export interface Mark {
  from: number;
  to: number;
  as: string;
}

export type Marks = ReturnType<typeof createMarks>;

export function createMarks(text: string, known: readonly Mark[] = []) {
  const marks = [...known];
  const isFree = (from: number, to: number): boolean => marks.every((mark) => to <= mark.from || from >= mark.to);
  /** Returns false for a stretch that is marked already. */
  const mark = (from: number, to: number, as: string): boolean => {
    if (!isFree(from, to)) return false;
    marks.push({ from, to, as });
    return true;
  };
  return {
    text,
    isFree,
    mark,

    /** Marks every free match for which `take` returns a mark. */
    each(pattern: RegExp, take: (match: RegExpExecArray) => string | undefined): void {
      for (const match of text.matchAll(pattern)) {
        const [from, to] = [match.index, match.index + match[0].length];
        if (!isFree(from, to)) continue;
        const as = take(match);
        if (as !== undefined) mark(from, to, as);
      }
    },

    /** The text with blanks in place of the finds; positions stay. */
    blanked(): string {
      let result = text;
      for (const { from, to } of marks) result = result.slice(0, from) + ' '.repeat(to - from) + result.slice(to);
      return result;
    },

    /** The text with the marks in place of the finds. */
    replaced(): string {
      let result = '';
      let at = 0;
      for (const { from, to, as } of [...marks].sort((a, b) => a.from - b.from)) {
        result += `${text.slice(at, from)} ${as} `;
        at = to;
      }
      return result + text.slice(at);
    },
  };
}
