import { readdirSync, readFileSync } from 'node:fs';

/** Kinds of queued email but security notifications: those named in a feature that queues some. */
export function kindsOfMail(): string[] {
  const features = new URL('../src/features/', import.meta.url);
  const sources = readdirSync(features, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => ({ feature: file.split('/')[0], source: readFileSync(new URL(file, features), 'utf8') }));
  const queueing = new Set(sources.filter(({ source }) => /\boutbox\.queue\(/.test(source)).map(({ feature }) => feature));
  const kinds = sources
    .filter(({ feature }) => queueing.has(feature))
    .flatMap(({ source }) => [...source.matchAll(/\bkind: '([a-z]+\.[a-zA-Z]+)'/g)].map(([, kind]) => kind as string));
  return [...new Set(kinds)];
}
