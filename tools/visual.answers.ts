/**
 * The small world behind the compared pictures: what the portal answered to each persona, once, at one moment. Screens drawn from it look
 * the same on every machine and every day. Answers that no longer fit the contract are told, so that the pictures show the product as it is.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { endpoints } from '@parapet/contract/api.ts';

export interface Answer {
  status: number;
  type: string;
  /** JSON as it is, anything else as base64. */
  body: unknown;
}

export interface World {
  /** The moment on the clock of every page, ISO 8601. */
  at: string;
  /** Where each screen is. */
  paths: Record<string, string>;
  /** By persona, method and address. */
  answers: Record<string, Answer>;
}

export const keyOf = (persona: string, method: string, address: string) => `${persona} ${method} ${address}`;
const isJson = (type: string) => type.includes('json');

/** One answer a line, so that a change of the world can be read. */
export async function writeWorld(file: string, { at, paths, answers }: World): Promise<void> {
  const lines = Object.keys(answers)
    .sort()
    .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(answers[key])}`);
  await writeFile(
    file,
    `{"at": ${JSON.stringify(at)},\n"paths": ${JSON.stringify(paths)},\n"answers": {\n${lines.join(',\n')}\n}}\n`,
  );
}

export const readWorld = async (file: string): Promise<World> => JSON.parse(await readFile(file, 'utf8')) as World;

/** No session leaves its machine: its tokens are no part of the world. */
export const withoutTokens = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => (/token$/i.test(name) && typeof value === 'string' ? 'recorded' : value));

export const answerOf = (status: number, type: string, body: Buffer): Answer => ({
  status,
  type,
  body: isJson(type) ? withoutTokens(JSON.parse(body.toString())) : body.toString('base64'),
});

export const bodyOf = ({ type, body }: Answer): string | Buffer =>
  isJson(type) ? JSON.stringify(body) : Buffer.from(String(body), 'base64');

/** Which calls would answer something else today. */
export function outdatedIn({ answers }: World): string[] {
  const faults: string[] = [];
  for (const [key, { status, type, body }] of Object.entries(answers)) {
    const [, method = '', address = ''] = key.split(' ');
    const path = address.split('?')[0] ?? '';
    if (status !== 200 || !isJson(type)) continue;
    const known = endpoints.filter(
      (endpoint) =>
        endpoint.method === method &&
        new RegExp(`^${endpoint.prefix}${endpoint.path.replace(/:\w+/g, '[^/]+')}$`, 'i').test(path),
    );
    // The one with the fewest parameters is the one that the server takes.
    const [endpoint] = known.sort((a, b) => a.path.split(':').length - b.path.split(':').length);
    if (!endpoint) faults.push(`${path} is no call any more`);
    else {
      const { error } = endpoint.answer.safeParse(body);
      if (error) faults.push(`${endpoint.id}: ${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}`);
    }
  }
  return [...new Set(faults)];
}
