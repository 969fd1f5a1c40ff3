/** Parts of a literal that columns can hold. */
/** The longest part of a text that lies within one line of a message, or one of some pairs, and on one side of its label. */
export function partWithinLine(literal: string, hasPairs: boolean): string {
  const parts = literal
    .split(hasPairs ? /: |:(?:\\t)+|[=,]/ : /: |:(?:\\t)+/)
    .map((part) => part.replace(/^(?: |\\t)+|:+$/g, ''));
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

/** True if a time as `toISOString` writes it contains the text. */
export const isTimeWith = (at: number, needle: string): boolean => new Date(at).toISOString().toLowerCase().includes(needle);

const timeForm = 'dddd-dd-ddtdd:dd:dd.dddz';
/** True if a time as `toISOString` writes it may contain the text. */
export const couldBeInTime = (text: string): boolean =>
  timeForm.includes(text.replace(/\d/g, '0').replaceAll('d', 'x').replaceAll('0', 'd'));
