/**
 * Recordings of the range as labelled cases: an attack that is expected to raise high or more is malicious, a recording without expected alerts is
 * benign. What lies between is undecidable from the recording alone and left out.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Document } from '../../../../detections/testing/pairs.ts';
import type { Label, LabelledCase, TimedDocument } from './cases.ts';

const recordingsFolder = fileURLToPath(new URL('../../../../detections/recordings', import.meta.url));
/** Longer recordings measure noise, not verdicts. */
const maxDocuments = 20_000;
const labelOf: Record<string, Label | undefined> = { critical: 'malicious', high: 'malicious', none: 'benign' };

interface Recording {
  title: string;
  origin: string;
  how: string;
  expected: string;
  events: unknown;
}

export function rangeCases(folder: string = recordingsFolder): LabelledCase[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file): LabelledCase[] => {
      const recording = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording;
      const label = labelOf[recording.expected];
      if (recording.origin !== 'range' || label === undefined || typeof recording.events !== 'string') return [];
      const documents = documentsIn(join(folder, recording.events));
      if (documents.length === 0 || documents.length > maxDocuments) return [];
      const begin = new Date(documents[0]!.at).toISOString();
      const name = `range: ${recording.title}`;
      return [{ name, label, family: 'range', by: 'range', why: recording.how, begin, events: [], documents }];
    });
}

function documentsIn(file: string): TimedDocument[] {
  return gunzipSync(readFileSync(file))
    .toString()
    .split('\n')
    .flatMap((line): TimedDocument[] => {
      if (line === '') return [];
      const document = JSON.parse(line) as Document;
      const at = Date.parse(String(document['@timestamp']));
      return Number.isNaN(at) ? [] : [{ at, document }];
    })
    .sort((a, b) => a.at - b.at);
}
