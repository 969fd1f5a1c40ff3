/** Practitioners’ questions, none of them an example: each must be parsed completely. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { techniqueNames } from '../techniques.ts';
import type { Vocabulary } from './reading.ts';
import { understand } from './understand.ts';

const vocabulary: Vocabulary = {
  clients: [
    { id: 10, name: 'Alder Manufacturing' },
    { id: 11, name: 'Birch Dental Group' },
  ],
  otherClients: [],
  devices: ['ALD-DC-01', 'ALD-WS-014', 'ALD-WS-041'],
  users: ['j.moreau', 'admin'],
  rules: ['SSH Brute Force', 'Defender Found Malware', 'Port Scan'],
  techniques: techniqueNames,
};
// A Saturday.
const now = Date.parse('2026-11-21T14:50:00Z');

interface Paraphrase {
  skill: string;
  text: string;
  says: string[];
}

function paraphrasesOf(file: string): Paraphrase[] {
  let skill = '';
  const found: Paraphrase[] = [];
  for (const line of readFileSync(new URL(file, import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('## ')) skill = line.slice(3);
    else if (line !== '' && !line.startsWith('# ')) {
      const [text = '', says = ''] = line.split(' | ');
      found.push({ skill, text, says: says.split('; ').filter(Boolean).sort() });
    }
  }
  return found;
}

/** The parsed intent in the notation of the files. */
function readingOf(text: string): { skill: string; says: string[] } {
  const understood = understand({ text, vocabulary, now, timeZone: 'Europe/Berlin', previous: undefined });
  if (understood.kind !== 'reading') return { skill: JSON.stringify(understood), says: [] };
  const { timeframe, before, metric, ...others } = understood.reading.slots;
  const says = [
    ...Object.entries(others).map(([name, value]) => `${name}=${[value].flat().join(',')}`),
    ...(timeframe ? [`time=${timeframe.label}`] : []),
    ...(before ? [`before=${before.label}`] : []),
    ...(metric === 'cases' ? ['metric=cases'] : []),
  ];
  return { skill: understood.reading.skill, says: says.sort() };
}

describe.each([1, 2, 3, 4, 5].map((part) => `paraphrases.${part}.txt`))('%s', (file) => {
  test.each(paraphrasesOf(`./${file}`))('$skill: $text', ({ text, skill, says }) => {
    expect(readingOf(text)).toEqual({ skill, says });
  });
});
