/**
 * Recorded responses of the portal to each persona at one moment: screens rendered from them are identical on every machine and
 * day. Reports responses that no longer match the contract, so that the pictures stay true to the product.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { endpoints } from '@parapet/contract/api.ts';

export interface Answer {
  status: number;
  type: string;
  /** JSON verbatim, everything else as base64. */
  body: unknown;
}

export interface World {
  /** Fixed time of every page, ISO 8601. */
  at: string;
  /** Path of each screen. */
  paths: Record<string, string>;
  /** Responses by persona, method and address. */
  answers: Record<string, Answer>;
}

export const keyOf = (persona: string, method: string, address: string) => `${persona} ${method} ${address}`;
const isJson = (type: string) => type.includes('json');

/** One response per line, for readable diffs. */
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

/** Tokens are removed, so that no session is committed. */
export const withoutTokens = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => (/token$/i.test(name) && typeof value === 'string' ? 'recorded' : value));

export const answerOf = (status: number, type: string, body: Buffer): Answer => ({
  status,
  type,
  body: isJson(type) ? withoutTokens(JSON.parse(body.toString())) : body.toString('base64'),
});

export const bodyOf = ({ type, body }: Answer): string | Buffer =>
  isJson(type) ? JSON.stringify(body) : Buffer.from(String(body), 'base64');

/** Calls whose recorded response no longer matches the contract. */
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
    // The server prefers the route with the fewest parameters.
    const [endpoint] = known.sort((a, b) => a.path.split(':').length - b.path.split(':').length);
    if (!endpoint) faults.push(`${path} is no longer an endpoint`);
    else {
      const { error } = endpoint.answer.safeParse(body);
      if (error) faults.push(`${endpoint.id}: ${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}`);
    }
  }
  return [...new Set(faults)];
}
