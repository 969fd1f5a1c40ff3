/** Bodies of calls: JSON or a file. A body without a byte is none, and nothing comes in that PostgreSQL could not store. */
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance } from 'fastify';

/** Escapes of U+0000 and of halves of surrogate pairs; plain, neither can stand in JSON or in UTF-8. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** Uploads are accepted raw by the endpoints that declare them; the limit of their route applies. */
export const uploadTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'text/csv',
  'text/plain',
  'application/octet-stream',
  'application/stix+json',
];

export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(uploadTypes, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text === '') return done(null, {});
    if (!suspicious.test(text)) return parse(request, text, done);
    return parse(request, text, (error, value) => {
      if (error || isStorable(value)) return done(error, value);
      return done(
        problem.invalid({}, 'A text of this request holds a character that cannot be stored: U+0000, or half of a pair.'),
      );
    });
  });
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, entry]) => isStorable(name) && isStorable(entry));
}
