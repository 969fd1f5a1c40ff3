/** Splits a question into tokens: words, numbers with their units, operators and breaks, each with its place in the text. */

export interface Token {
  /** Lower case, without apostrophes: "whats". */
  text: string;
  from: number;
  to: number;
}

/** Longer texts are no questions; only the beginning is parsed. */
const understoodLength = 1_000;
const maxTokens = 200;

export const tidy = (text: string): string =>
  text
    .slice(0, understoodLength)
    .replace(/[\u2018\u2019\u02bc`]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');

/** Words keep the signs of names inside them; "w/o" and "3+" are one token and two. */
const pattern =
  /w\/o\b|w\/(?=[\s\p{L}]|$)|\d{1,2}:\d{2}|(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?=\s?%|\+|(?:h|hr|hrs|d|w|wk|wks|mo|min|mins|am|pm|k)\b)|>=|<=|[<>=+&%?;,:()"]|\.{2,}|\.(?=\s|$)|[\p{L}\p{N}#](?:[\p{L}\p{N}'._@\\$/-]*[\p{L}\p{N}$])?/giu;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(pattern)) {
    const from = match.index;
    const raw = match[0];
    // "Harbor's" is a name and a possessive; "what's" is one word.
    const possessive = /^(.{3,})'s$/i.exec(raw);
    if (possessive?.[1] && !contracted.test(possessive[1])) {
      tokens.push({ text: possessive[1].toLowerCase(), from, to: from + possessive[1].length });
      tokens.push({ text: "'s", from: from + possessive[1].length, to: from + raw.length });
    } else if (/^[\p{L}]+(?:\/[\p{L}]+)+$/iu.test(raw) && !/^w\//i.test(raw)) {
      // "staged/offered": two words with an "or" between them.
      let at = from;
      for (const [index, part] of raw.split('/').entries()) {
        if (index > 0) tokens.push({ text: '/', from: at - 1, to: at });
        tokens.push({ text: part.toLowerCase().replaceAll("'", ''), from: at, to: at + part.length });
        at += part.length + 1;
      }
    } else tokens.push({ text: raw.toLowerCase().replaceAll("'", ''), from, to: from + raw.length });
    if (tokens.length >= maxTokens) break;
  }
  return tokens;
}
const contracted =
  /^(?:nobody|somebody|someone|everyone|everybody|anyone|anybody|noone|whatever|everything|anything|nothing|thing|what|who|where|when|how|that|there|here|it|he|she|let)$/i;

/** One form for singular and plural: "boxes", "casses" stay apart, "cases" and "case" meet. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}
