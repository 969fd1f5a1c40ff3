/**
 * Text from events is written by attackers. Control characters, terminal escapes, bidi overrides and zero-width characters can hide
 * or reorder what an analyst reads ("Trojan Source", CVE-2021-42574), so each of them becomes a visible mark before it reaches the
 * screen. The marks are names (ESC, RLO), because few fonts have the symbols for control characters. Copy buttons give the original text.
 */

export interface Segment {
  /** Visible replacement. */
  text: string;
  /** Set for a mark: what the hidden character is. */
  mark?: string;
}

/** Everything below U+0020, DEL and C1, bidi controls, zero-width and invisible characters, tags, lone surrogates. */
const hidden = new RegExp(
  [
    '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb]',
    '[\\u034f\\u17b4\\u17b5\\u180b-\\u180e]',
    '[\\u{e0000}-\\u{e0fff}]',
    '\\p{Surrogate}',
  ].join('|'),
  'u',
);
const hiddenAll = new RegExp(hidden.source, 'gu');

const names: Record<number, [short: string, long: string]> = {
  127: ['DEL', 'DELETE'],
  173: ['SHY', 'SOFT HYPHEN'],
  1564: ['ALM', 'ARABIC LETTER MARK'],
  8203: ['ZWSP', 'ZERO WIDTH SPACE'],
  8204: ['ZWNJ', 'ZERO WIDTH NON-JOINER'],
  8205: ['ZWJ', 'ZERO WIDTH JOINER'],
  8206: ['LRM', 'LEFT-TO-RIGHT MARK'],
  8207: ['RLM', 'RIGHT-TO-LEFT MARK'],
  8232: ['LS', 'LINE SEPARATOR'],
  8233: ['PS', 'PARAGRAPH SEPARATOR'],
  8234: ['LRE', 'LEFT-TO-RIGHT EMBEDDING'],
  8235: ['RLE', 'RIGHT-TO-LEFT EMBEDDING'],
  8236: ['PDF', 'POP DIRECTIONAL FORMATTING'],
  8237: ['LRO', 'LEFT-TO-RIGHT OVERRIDE'],
  8238: ['RLO', 'RIGHT-TO-LEFT OVERRIDE'],
  8288: ['WJ', 'WORD JOINER'],
  8294: ['LRI', 'LEFT-TO-RIGHT ISOLATE'],
  8295: ['RLI', 'RIGHT-TO-LEFT ISOLATE'],
  8296: ['FSI', 'FIRST STRONG ISOLATE'],
  8297: ['PDI', 'POP DIRECTIONAL ISOLATE'],
  65279: ['BOM', 'BYTE ORDER MARK'],
};
const controls =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

const hex = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

function markOf(code: number): Segment {
  if (code < 0x20) return { text: controls[code] ?? hex(code), mark: `${hex(code)} ${controls[code]}` };
  const known = names[code];
  return known ? { text: known[0], mark: `${hex(code)} ${known[1]}` } : { text: hex(code), mark: hex(code) };
}

export const hasHidden = (text: string) => hidden.test(text);

/**
 * The text in pieces: readable text as it is, each hidden character as a mark. With `keepLines` line feeds and tabs stay what they
 * are (scripts, messages of several lines); a carriage return before a line feed then needs no mark either.
 */
export function segmentsOf(text: string, keepLines = false): Segment[] {
  if (!hasHidden(text)) return text === '' ? [] : [{ text }];
  const segments: Segment[] = [];
  let from = 0;
  const plain = (to: number) => {
    if (to <= from) return;
    const last = segments.at(-1);
    const piece = text.slice(from, to);
    if (last && last.mark === undefined) last.text += piece;
    else segments.push({ text: piece });
  };
  for (const match of text.matchAll(hiddenAll)) {
    const char = match[0];
    const at = match.index;
    if (keepLines && (char === '\n' || char === '\t')) continue;
    plain(at);
    from = at + char.length;
    if (keepLines && char === '\r' && text[from] === '\n') continue;
    // Between two letters or emoji a joiner is ordinary writing; marked all the same where nothing joins.
    if (char === '\u200d' && joinsEmoji(text, at)) {
      from = at;
      continue;
    }
    segments.push(markOf(char.codePointAt(0) ?? 0));
  }
  plain(text.length);
  return segments;
}

const pictographic = /\p{Extended_Pictographic}/u;
function joinsEmoji(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 3), at);
  const after = text.slice(at + 1, at + 3);
  return pictographic.test(before) && pictographic.test(after);
}

/** One string with the marks in it, for places that take only text (titles, labels). */
export const visibleText = (text: string) =>
  segmentsOf(text)
    .map((segment) => (segment.mark ? `⟨${segment.text}⟩` : segment.text))
    .join('');
