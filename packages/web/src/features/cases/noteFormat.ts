/**
 * Parses the note format: lists (`- `), `code`, ``` blocks and https addresses. Notes are untrusted text: the parts are rendered as text,
 * never as markup, and an address becomes a link only when its text shows its real target.
 */
export type Inline = { kind: 'text' | 'code'; text: string } | { kind: 'link'; text: string; href: string };
export type Block =
  | { kind: 'paragraph'; lines: Inline[][] }
  | { kind: 'list'; items: Inline[][] }
  | { kind: 'code'; text: string };

const fence = /^\s*```/;
const bullet = /^\s{0,8}[-*] +(?=\S)/;

export function blocksOf(note: string): Block[] {
  const blocks: Block[] = [];
  const lines = note.replace(/\r\n?/g, '\n').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (fence.test(line)) {
      const end = lines.findIndex((each, index) => index > at && fence.test(each));
      // An unclosed fence extends to the end, so that half a command never turns into prose.
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end < 0 ? undefined : end).join('\n') });
      if (end < 0) break;
      at = end;
      continue;
    }
    const last = blocks.at(-1);
    const isAfterGap = at > 0 && lines[at - 1]!.trim() === '';
    if (bullet.test(line)) {
      const item = inlinesOf(line.replace(bullet, ''));
      if (last?.kind === 'list' && !isAfterGap) last.items.push(item);
      else blocks.push({ kind: 'list', items: [item] });
    } else if (line.trim() !== '') {
      if (last?.kind === 'paragraph' && !isAfterGap && !fence.test(lines[at - 1] ?? '')) last.lines.push(inlinesOf(line));
      else blocks.push({ kind: 'paragraph', lines: [inlinesOf(line)] });
    }
  }
  return blocks;
}

const marks = /`([^`\n]+)`|https:\/\/[^\s<>"'`]+/giu;
/** Punctuation of the sentence around an address. */
const trailing = /[.,;:!?]+$|\)+$/;

export function inlinesOf(line: string): Inline[] {
  const parts: Inline[] = [];
  const text = (piece: string) => {
    const last = parts.at(-1);
    if (piece === '') return;
    if (last?.kind === 'text') last.text += piece;
    else parts.push({ kind: 'text', text: piece });
  };
  let at = 0;
  for (const match of line.matchAll(marks)) {
    text(line.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] !== undefined) {
      parts.push({ kind: 'code', text: match[1] });
      continue;
    }
    const address = withoutTail(match[0]);
    const href = safeHref(address);
    if (href) parts.push({ kind: 'link', text: address, href });
    else text(address);
    text(match[0].slice(address.length));
  }
  text(line.slice(at));
  return parts;
}

function withoutTail(address: string): string {
  let trimmed = address;
  for (let tail = trailing.exec(trimmed); tail; tail = trailing.exec(trimmed)) {
    // A closing bracket belongs to the address that opened it.
    if (tail[0].startsWith(')') && count(trimmed, '(') >= count(trimmed, ')')) break;
    trimmed = trimmed.slice(0, -1);
  }
  return trimmed;
}
const count = (text: string, mark: string) => text.split(mark).length - 1;

/** Returns the address if its text shows its real target: ASCII only, no user name, host as written, no punycode. */
export function safeHref(text: string): string | undefined {
  if (text.length > 2000 || !/^https:\/\/[\x21-\x7e]+$/i.test(text)) return undefined;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const written = /^https:\/\/([^/?#]+)/i.exec(text)?.[1]?.toLowerCase();
  const isHonest =
    url.protocol === 'https:' && url.username === '' && url.password === '' && written?.replace(/:443$/, '') === url.host;
  return isHonest && !url.hostname.startsWith('xn--') && !url.hostname.includes('.xn--') ? url.href : undefined;
}
