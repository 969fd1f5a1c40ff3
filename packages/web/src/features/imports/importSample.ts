/** Form and first records of a file, read in the browser before the upload. */
import type { ImportFormat } from '@parapet/contract/imports.ts';
import { createCsvReader } from '@parapet/contract/rules/csvRecords.ts';

const sampleBytes = 256 * 1024;
const sampleRecords = 5;
const longestSample = 100_000;
const maxRow = 100_000;

/** UTF-16 by its byte order mark, as PowerShell writes it. */
export async function beginningOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer());
  return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** The likely format of a file, by its name and its beginning. */
export function formatOf(name: string, text: string): ImportFormat {
  if (/\.(?:csv|tsv)$/i.test(name)) return 'csv';
  const start = text.slice(0, 4_000);
  const isWindows = /^\s*Record \d+/.test(start) || /"(?:EventRecordID|EventData|UserData|LogName|ProviderName)"\s*:/.test(start);
  if (isWindows) return 'evtx';
  return /^[\s\uFEFF]*[[{]/.test(start) || /\.(?:nd)?jsonl?$/i.test(name) ? 'ndjson' : 'csv';
}

/** The first records as a JSON list, for the mapping; empty when there are none. */
export function sampleOf(text: string, format: ImportFormat): string {
  const records = format === 'csv' ? rowsOf(text) : objectsOf(text);
  for (let count = sampleRecords; count > 0; count--) {
    const sample = JSON.stringify(records.slice(0, count), null, 1);
    if (records.length > 0 && sample.length <= longestSample) return sample;
  }
  return '';
}

const rowsOf = (text: string): unknown[] =>
  createCsvReader(maxRow)
    .push(text.endsWith('\n') ? text : `${text}\n`)
    .flatMap(({ value }) => (value ? [value] : []));

function objectsOf(text: string): unknown[] {
  const plain = text.replace(/^\uFEFF/, '').trim();
  const whole = parsed(plain);
  if (Array.isArray(whole)) return whole;
  const lines = plain.split('\n', 50).map(parsed);
  const found = lines.filter((each) => typeof each === 'object' && each !== null);
  return found.length > 0 ? found : [whole].filter((each) => typeof each === 'object' && each !== null);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/,$/, ''));
  } catch {
    return undefined;
  }
}
