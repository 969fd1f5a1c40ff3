/** A file of events as single texts: one a line, or the elements of one array. Nothing but the present event is held in memory. */

export interface EventText {
  /** The line, or the place in the array, from 1. */
  number: number;
  text: string;
  fault?: string;
}

/** An event may not be longer; the rest of it is skipped. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** @param chunks UTF-8, cut anywhere */
export async function* splitEvents(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<EventText> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: false });
  let splitter: Splitter | undefined;
  let start = '';
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (!splitter) {
      start += text;
      const first = /\S/.exec(start)?.[0];
      if (first === undefined) continue;
      splitter = first === '[' ? elements() : lines();
      yield* splitter.push(start);
    } else yield* splitter.push(text);
  }
  if (splitter) yield* splitter.end();
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

/** Cuts at the commas of the outermost array; strings and nesting are followed, nothing else is checked here. */
function elements(): Splitter {
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
        } else if (code === 34) isInString = true;
        else if (code === 91 || code === 123) {
          if (++depth === 1) from = i + 1;
        } else if (code === 93 || code === 125) {
          if (--depth === 0) {
            keep(text.slice(from, i));
            finish(found);
            from = i + 1;
          }
        } else if (code === 44 && depth === 1) {
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
