/** Writes a recording: its description, and the documents as they were posted. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Document } from './auditbeat.ts';

export interface Description {
  slug: string;
  title: string;
  techniques: string[];
  how: string;
  expected: string;
}

export function writeRecording(
  folder: string,
  { slug, title, techniques, how, expected }: Description,
  documents: readonly Document[],
): void {
  const file = `${slug}.ndjson.gz`;
  const head = { title, techniques, origin: 'range', how, expected, events: file };
  writeFileSync(join(folder, `${slug}.json`), `${JSON.stringify(head, null, 2)}\n`);
  writeFileSync(
    join(folder, file),
    gzipSync(documents.map((document) => `${JSON.stringify(document)}\n`).join(''), { level: 9 }),
  );
}
