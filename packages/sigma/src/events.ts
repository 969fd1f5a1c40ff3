/**
 * Splits a file of events into single texts: one per line, the elements of one array, or consecutive multi-line objects (as printed by
 * `evtx_dump -o json`). Holds only the current event in memory.
 */

export interface EventText {
  /** Line number, or the event's position if not one per line, from 1. */
  number: number;
  text: string;
  fault?: string;
}

/** Maximum length of an event; the rest is skipped. */
const MAX_LENGTH = 64 * 1024 * 1024;

/**
 * @param chunks UTF-8, or UTF-16 as written by PowerShell, split at any byte
 * @throws Error for a binary or XML event log, which would produce an error per line
 */
export async function* splitEvents(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<EventText> {
  let decoder: TextDecoder | undefined;
  let splitter: Splitter | undefined;
  let start = '';
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') decoder ??= new TextDecoder(encodingOf(chunk));
    const text = typeof chunk === 'string' ? chunk : decoder!.decode(chunk, { stream: true });
    if (!splitter) {
      start += text;
      splitter = splitterFor(start, false);
      if (splitter) yield* splitter.push(start);
    } else yield* splitter.push(text);
  }
  if (!splitter) {
    splitter = splitterFor(start, true);
    if (splitter) yield* splitter.push(start);
  }
  if (splitter) yield* splitter.end();
}

/** Detects the encoding by byte order mark, or by a zero byte beside the first character. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return 'utf-8';
}

/** Undefined until the start is conclusive. */
function splitterFor(start: string, isWhole: boolean): Splitter | undefined {
  const found = /\S[^\n]*/.exec(start);
  if (!found) return undefined;
  const [line] = found;
  if (line.startsWith('ElfFile') || line.startsWith('<'))
    throw new Error('this is no JSON; convert it first, for instance by "evtx_dump -o jsonl"');
  if (line.startsWith('[')) return values(1);
  if (line.length < 40 && !isWhole && start.length === found.index + line.length) return undefined;
  return line.trim() === '{' || /^Record \d+\s*$/.test(line) ? values(0) : lines();
}

interface Splitter {
  push(text: string): EventText[];
  end(): EventText[];
}

const TOO_LONG = `longer than ${MAX_LENGTH / 1024 / 1024} MiB`;

function lines(): Splitter {
  let number = 0;
  let parts: string[] = [];
  let length = 0;
  const finish = (): EventText[] => {
    number++;
    const text = length > MAX_LENGTH ? '' : parts.join('').trim();
    const fault = length > MAX_LENGTH ? TOO_LONG : undefined;
    parts = [];
    length = 0;
    return text === '' && fault === undefined ? [] : [{ number, text, fault }];
  };
  const keep = (text: string): void => {
    length += text.length;
    if (length > MAX_LENGTH) parts = [];
    else if (text !== '') parts.push(text);
  };
  return {
    push(text) {
      const found: EventText[] = [];
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        keep(text.slice(from, at));
        found.push(...finish());
        from = at + 1;
      }
      keep(text.slice(from));
      return found;
    },
    end: () => (length > 0 ? finish() : []),
  };
}

/**
 * Extracts the values at a depth: 1 within one array, 0 for consecutive values. Tracks strings and nesting only, without further
 * validation.
 */
function values(outside: 0 | 1): Splitter {
  let number = 0;
  let parts: string[] = [];
  let length = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  const keep = (text: string): void => {
    length += text.length;
    if (length > MAX_LENGTH) parts = [];
    else if (text !== '') parts.push(text);
  };
  const finish = (found: EventText[]): void => {
    const isLong = length > MAX_LENGTH;
    const text = parts.join('').trim();
    parts = [];
    length = 0;
    if (isLong) found.push({ number: ++number, text: '', fault: TOO_LONG });
    else if (text !== '') found.push({ number: ++number, text });
  };
  return {
    push(text) {
      const found: EventText[] = [];
      let from = 0;
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (isInString) {
          if (isEscaped) isEscaped = false;
          else if (code === 92) isEscaped = true;
          else if (code === 34) isInString = false;
        } else if (code === 34) isInString = depth > 0;
        else if (code === 91 || code === 123) {
          if (depth++ === 0) from = i + outside;
        } else if (code === 93 || code === 125) {
          if (--depth === 0) {
            keep(text.slice(from, i + 1 - outside));
            finish(found);
            from = i + 1;
          } else if (depth < 0) depth = 0;
        } else if (code === 44 && depth === 1 && outside === 1) {
          keep(text.slice(from, i));
          finish(found);
          from = i + 1;
        }
      }
      if (depth > 0) keep(text.slice(from));
      return found;
    },
    end() {
      const found: EventText[] = [];
      finish(found);
      return found;
    },
  };
}
