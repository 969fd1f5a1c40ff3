/** Requests to vendors: statuses become errors of `errors.ts`, and nothing of an answer is trusted. */
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Http, Readable, VendorEvent } from './connector.ts';
import { RefusedError, RequestError, ThrottledError, UnavailableError } from './errors.ts';
import { latest, objectOf, textOf } from './values.ts';

const defaultWaitMs = 30_000;
const maxWaitMs = hourMs;
const maxQuoted = 200;

export interface Answer {
  body: unknown;
  headers: Headers;
}

/** Sends a request and parses its JSON. Throws one of the errors of `errors.ts`. */
export async function requestJson(http: Http, vendor: string, url: string, init: RequestInit = {}): Promise<Answer> {
  const { text, headers } = await requestText(http, vendor, url, init);
  try {
    return { body: JSON.parse(text), headers };
  } catch {
    throw new UnavailableError(`${vendor} returned something that is not JSON.`);
  }
}

/** Sends a request and reads its text. Throws one of the errors of `errors.ts`. */
export async function requestText(
  http: Http,
  vendor: string,
  url: string,
  init: RequestInit = {},
): Promise<{ text: string; headers: Headers }> {
  const { bytes, headers } = await requestBytes(http, vendor, url, init);
  return { text: bytes.toString('utf8'), headers };
}

/** Sends a request and reads its bytes. Throws one of the errors of `errors.ts`. */
export async function requestBytes(
  http: Http,
  vendor: string,
  url: string,
  init: RequestInit = {},
): Promise<{ bytes: Buffer; headers: Headers }> {
  let response: Response;
  let bytes: Buffer;
  try {
    response = await http(url, init);
    bytes = Buffer.from(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    throw new UnavailableError(`${vendor} can’t be reached at ${new URL(url).host}: ${reasonOf(error)}`);
  }
  if (!response.ok) throw errorOf(vendor, response, bytes.toString('utf8', 0, 4_096));
  return { bytes, headers: response.headers };
}

function errorOf(vendor: string, { status, headers }: Response, body: string): Error {
  const quote = quoted(body);
  if (status === 400 && awsRefusal.test(body)) return new RefusedError(`${vendor} returned ${status}: ${quote}`);
  if (status === 400 && /Throttl|RequestThrottled/.test(body))
    return new ThrottledError(`${vendor} returned ${status}: ${quote}`, waitOf(headers));
  const text = `${vendor} returned ${status}${quote === '' ? '.' : `: ${quote}`}`;
  if (status === 429 || (status === 403 && isLimit(headers, body))) return new ThrottledError(text, waitOf(headers));
  if (status === 401 || status === 403) return new RefusedError(text);
  if (status >= 300 && status < 400) return new UnavailableError(`${vendor} redirects elsewhere. Redirects are not followed.`);
  return status >= 400 && status < 500 ? new RequestError(text, status, codeIn(body)) : new UnavailableError(text);
}

/** Code of an error as Microsoft, Okta and CrowdStrike give it; empty without one. */
function codeIn(body: string): string {
  try {
    const parsed = objectOf(JSON.parse(body));
    const inner = objectOf(parsed?.error);
    return textOf(inner?.code) ?? textOf(parsed?.errorCode) ?? '';
  } catch {
    return '';
  }
}

/** AWS refuses with 400 too. */
const awsRefusal =
  /AccessDenied|InvalidClientTokenId|SignatureDoesNotMatch|UnrecognizedClient|ExpiredToken|InvalidAccessKeyId|NonExistentQueue/;

/** GitHub and Google limit with 403 too. */
const isLimit = (headers: Headers, body: string): boolean =>
  headers.has('retry-after') ||
  headers.get('x-ratelimit-remaining') === '0' ||
  /"(?:userR|r)ateLimitExceeded"|"quotaExceeded"/.test(body);

/** Wait in milliseconds by `Retry-After` (RFC 9110), or by the reset time in seconds since 1970 of Okta and GitHub. */
export function waitOf(headers: Headers, now = systemClock.now()): number {
  const after = headers.get('retry-after');
  const reset = Number(headers.get('x-rate-limit-reset') ?? headers.get('x-ratelimit-reset') ?? Number.NaN);
  const wait = after === null ? reset * 1_000 - now : /^\s*\d+\s*$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - now;
  return Number.isFinite(wait) ? Math.min(maxWaitMs, Math.max(1_000, wait)) : defaultWaitMs;
}

/** The vendor's own sentence, or its code. */
function quoted(body: string): string {
  let text = body;
  try {
    text = messageIn(JSON.parse(body)) ?? body;
  } catch {
    // Not JSON: the text itself.
  }
  text = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? text;
  const line = /<html|<!doctype/i.test(text) ? '' : text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxQuoted ? `${line.slice(0, maxQuoted)}…` : line;
}

const places = ['errorSummary', 'error_description', 'message', 'Message', 'detail', 'error', 'title', 'error_code'];

function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > 2) return undefined;
  // CrowdStrike and SentinelOne list errors.
  const { errors } = value as { errors?: unknown };
  const listed = Array.isArray(errors) ? messageIn(errors[0], depth + 1) : undefined;
  if (listed !== undefined) return listed;
  for (const place of places) {
    const found = messageIn((value as Record<string, unknown>)[place], depth + 1);
    if (found !== undefined && found !== '') return found;
  }
  return undefined;
}

/** Reason of a failed request, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const code = cause?.code ?? (error as { code?: string }).code;
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || /maxResponseSize|exceeded/i.test(`${cause?.message}`))
    return 'its answer is too large.';
  if ((error as Error).name === 'TimeoutError' || code?.includes('TIMEOUT')) return 'it didn’t answer in time.';
  return reasons[code ?? ''] ?? `${code ?? (error as Error).message}.`;
}

const reasons: Record<string, string> = {
  ENOTFOUND: 'there is no such host.',
  EAI_AGAIN: 'the name can’t be resolved now.',
  ECONNREFUSED: 'the connection was refused.',
  ECONNRESET: 'the connection was closed.',
  UND_ERR_SOCKET: 'the connection was closed.',
  PROXY_UNREACHABLE: 'the egress proxy can’t be reached.',
  PROXY_REFUSED: 'the egress proxy refused the connection.',
  PROXY_CREDENTIALS: 'the egress proxy refused the portal’s credentials.',
};

/** A parameter of the link `rel="next"` (RFC 8288). Only the parameter is taken: a link may lead anywhere. */
export function nextParameter(headers: Headers, parameter: string): string | undefined {
  const link = headers.get('link') ?? '';
  const next = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link)?.[1];
  if (next === undefined || !URL.canParse(next)) return undefined;
  return new URL(next).searchParams.get(parameter) ?? undefined;
}

/** The list of an answer. Throws for anything else. */
export function listOf(vendor: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new UnavailableError(`${vendor} returned something that is not a list of events.`);
  return value;
}

/** Time of the newest event, for the test of a connection. */
export function newestText(events: readonly VendorEvent[]): string {
  const at = latest(...events.map((event) => event.at));
  return at === undefined ? 'No events yet.' : `Newest event ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
}

/** One line of a connection’s test. Throws what is no refusal. */
export async function readableOf(what: string, read: () => Promise<string>): Promise<Readable> {
  try {
    return { what, canRead: true, detail: await read() };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { what, canRead: false, detail: error.message };
  }
}
