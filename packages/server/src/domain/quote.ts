/** Values of events, rules and people in prose: untrusted, therefore quoted, truncated, and with invisible characters escaped. */

const maxQuoted = 160;
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** Escapes invisible and bidirectional characters by their code point. */
export const visible = (text: string): string =>
  text.toWellFormed().replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

export function quote(text: string): string {
  const shown = visible(text.slice(0, maxQuoted)).replace(/[“”]/g, '"');
  return `“${shown}${text.length > maxQuoted ? '…' : ''}”`;
}
