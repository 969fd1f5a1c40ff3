/**
 * Records of an uploaded file, read piece by piece: CSV, or JSON objects as converters write them — one per line, in a list, pretty-printed, or
 * with `Record 1` between them (evtx_dump). UTF-8, or UTF-16 with a byte order mark (PowerShell’s `>`).
 */
import type { ImportFormat } from '@parapet/contract/imports.ts';
import { createCsvReader } from '@parapet/contract/rules/csvRecords.ts';

export interface FileRecord {
  /** Line of its beginning, from 1. */
  line: number;
  /** Text of a JSON object. */
  text?: string;
  /** Cells of a row by column. */
  row?: Record<string, string>;
  /** Reason why it is no record, with its beginning. */
  fault?: string;
  raw?: string;
}

/** Characters of one record; the pipeline’s own limit follows. */
const maxRecord = 1024 * 1024;
const maxInvalidText = 4_096;

export async function* readFile(chunks: AsyncIterable<Buffer>, format: ImportFormat): AsyncGenerator<FileRecord[], void> {
  const reader = format === 'csv' ? csvReader() : new JsonReader();
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? 'utf-16le' : 'utf-8');
    yield reader.push(decoder.decode(chunk, { stream: true }));
  }
  yield [...reader.push(decoder?.decode() ?? ''), ...reader.end()];
}

interface Reader {
  push(text: string): FileRecord[];
  end(): FileRecord[];
}

function csvReader(): Reader {
  const reader = createCsvReader(maxRecord);
  const rowsOf = (records: ReturnType<typeof reader.push>): FileRecord[] =>
    records.map(({ value, ...record }) => (value ? { ...record, row: value } : record));
  return { push: (text) => rowsOf(reader.push(text)), end: () => rowsOf(reader.end()) };
}

const [quote, backslash, newline, open, close] = [34, 92, 10, 123, 125];

/** Separators of evtx_dump, of a list and of lines. */
const separators = /\bRecord \d+\b|[\s,[\]\uFEFF]/g;

/**
 * Objects by their braces, whatever separates them. Where an object isn’t closed, reading goes on at the next line that begins as it did: an object on a
 * line of its own is over where the next line begins with one.
 */
class JsonReader implements Reader {
  #rest = '';
  #at = 0;
  #line = 1;
  #lineStart = 0;
  /** Of the open object; -1 between objects. */
  #begin = -1;
  #beginLine = 1;
  #column = 0;
  #depth = 0;
  #isText = false;
  /** Text between objects; undefined while the rest of a broken object is skipped. */
  #between: string | undefined = '';
  #records: FileRecord[] = [];

  push(text: string): FileRecord[] {
    this.#rest += text;
    for (; this.#at < this.#rest.length; this.#at++) this.#step(this.#rest.charCodeAt(this.#at));
    const start = this.#begin === -1 ? this.#rest.length : this.#begin;
    this.#lineStart -= start;
    this.#at -= start;
    if (this.#begin !== -1) this.#begin = 0;
    this.#rest = this.#rest.slice(start);
    return this.#taken();
  }

  end(): FileRecord[] {
    if (this.#begin !== -1) this.#giveUp('The file ends within this object.');
    this.#endBetween(this.#line);
    return this.#taken();
  }

  #taken(): FileRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #step(code: number): void {
    if (this.#begin === -1) this.#stepBetween(code);
    else this.#stepWithin(code);
    if (code === newline) {
      this.#line++;
      this.#lineStart = this.#at + 1;
    }
  }

  #stepBetween(code: number): void {
    if (code === open && (this.#between !== undefined || this.#isLikeBefore())) {
      this.#endBetween(this.#line);
      this.#beginHere();
    } else if (this.#between !== undefined) {
      if (code === newline) this.#endBetween(this.#line);
      else if (this.#between.length < maxInvalidText) this.#between += this.#rest[this.#at];
    }
  }

  #beginHere(): void {
    this.#between = '';
    this.#begin = this.#at;
    this.#beginLine = this.#line;
    this.#column = this.#at - this.#lineStart;
    this.#depth = 1;
    this.#isText = false;
  }

  /** True at the first character of a line that begins at the column of the last object. */
  #isLikeBefore(): boolean {
    const column = this.#at - this.#lineStart;
    return column === this.#column && this.#rest.slice(this.#lineStart, this.#at).trim() === '';
  }

  #stepWithin(code: number): void {
    if (code === open && this.#column === 0 && this.#at === this.#lineStart && this.#isOnOneLine()) {
      this.#giveUp('This object is not closed on its line.');
      this.#beginHere();
    } else if (this.#isText) {
      if (code === backslash) this.#at++;
      else if (code === quote) this.#isText = false;
    } else if (code === quote) this.#isText = true;
    else if (code === open) this.#depth++;
    else if (code === close && --this.#depth === 0) {
      this.#records.push({ line: this.#beginLine, text: this.#rest.slice(this.#begin, this.#at + 1) });
      this.#begin = -1;
    }
    if (this.#begin !== -1 && this.#at - this.#begin > maxRecord) {
      this.#giveUp(`This object is longer than ${maxRecord} characters, or isn’t closed.`);
      this.#between = undefined;
    }
  }

  /** False for a pretty-printed object, whose first line is its brace. */
  #isOnOneLine(): boolean {
    const next = this.#rest.charCodeAt(this.#begin + 1);
    return next !== newline && next !== 13;
  }

  #giveUp(fault: string): void {
    this.#records.push({ line: this.#beginLine, fault, raw: this.#rest.slice(this.#begin, this.#begin + maxInvalidText) });
    this.#begin = -1;
  }

  #endBetween(line: number): void {
    const text = this.#between ?? '';
    if (text !== '' && text.replace(separators, '') !== '')
      this.#records.push({ line, fault: 'This is not a JSON object.', raw: text.trim().slice(0, maxInvalidText) });
    if (this.#between !== undefined) this.#between = '';
  }
}
