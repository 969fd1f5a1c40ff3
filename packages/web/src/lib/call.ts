/**
 * Calls an endpoint of the contract: builds its address, adds the bearer token, reads the response, and throws a `Problem` for every error.
 * An aborted call throws the browser’s AbortError, which is not reported to the user.
 */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { Problem, type ProblemCode, type StepUpMethod, statusOf } from '@parapet/contract/problem.ts';
import type { SensitiveView } from '@parapet/contract/rules/client-access-log.ts';
import { earlyFetch } from './early.ts';
import type { Wire } from './endpointDescriptors.ts';
import { noteSensitive } from './sensitive.ts';
import { stepUp } from './stepUp.ts';
import { type Tokens, tokens } from './tokens.ts';

type Value = string | number | boolean | undefined | null;
export interface LooseInput {
  params?: Record<string, Value>;
  query?: Record<string, Value | Value[]>;
  body?: unknown;
}

/** The address of a call. Parameters are encoded, lists in a query comma-joined, empty values left out. */
export function addressOf(endpoint: Pick<Endpoint, 'id' | 'path' | 'prefix'>, input: LooseInput = {}): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = input.params?.[name];
    const text = value === undefined || value === null ? '' : String(value);
    // Browsers resolve dot segments even when encoded: such a value would call another endpoint.
    if (text === '' || text === '.' || text === '..') throw new Error(`${endpoint.id} cannot be called with ${name} "${text}"`);
    return encodeURIComponent(text);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    const text = Array.isArray(value) ? value.filter(isGiven).join(',') : isGiven(value) ? String(value) : '';
    if (text !== '') query.set(name, text);
  }
  return endpoint.prefix + path + (query.size > 0 ? `?${query}` : '');
}

const isGiven = (value: Value) => value !== undefined && value !== null && value !== '';

export const unreachable = 'Couldn’t reach the portal. Check your connection and try again.';
const fallbacks: Partial<Record<ProblemCode, string>> = {
  signInNeeded: 'Please sign in.',
  forbidden: 'You don’t have permission to do this.',
  notFound: 'Not found, or you don’t have access to it.',
  tooLarge: 'This is too large to send.',
  unavailable: 'The portal is busy or restarting. Try again in a moment.',
};

function fallbackText(code: ProblemCode, status: number, retryAfterSeconds: number | undefined): string {
  if (code === 'tooManyRequests') {
    return `Too many requests. Please try again ${retryAfterSeconds ? `in ${retryAfterSeconds} s` : 'in a moment'}.`;
  }
  return fallbacks[code] ?? `The portal answered with an error (${status}). Please try again.`;
}

function codeOf(status: number): ProblemCode {
  const known = (Object.keys(statusOf) as ProblemCode[]).find((code) => statusOf[code] === status);
  if (known) return known;
  if (status === 502 || status === 504) return 'unavailable';
  return status >= 500 ? 'unexpected' : 'invalid';
}

/** An error answer as a Problem with the text to show (spec §8). `body` is what came, parsed where it was JSON. */
export function problemOf(status: number, body: unknown, retryAfter?: string | null): Problem {
  const problem = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const code = codeOf(status);
  const seconds = retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const errors = errorsOf(problem.errors);
  const text = typeof problem.error === 'string' && problem.error !== '' ? problem.error : undefined;
  const shown = (status === 400 ? firstOf(errors) : undefined) ?? text ?? fallbackText(code, status, seconds);
  return new Problem(code, shown, {
    ...(errors ? { errors } : {}),
    ...(typeof problem.requestId === 'string' ? { requestId: problem.requestId } : {}),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
    ...(isVersions(problem.versions) ? { versions: problem.versions } : {}),
    ...(Array.isArray(problem.stepUp) ? { stepUp: problem.stepUp.filter(isStepUpMethod) } : {}),
  });
}

const isStepUpMethod = (value: unknown): value is StepUpMethod => value === 'password' || value === 'code';
const isVersions = (value: unknown): value is { yours: number; current: number } =>
  typeof value === 'object' && value !== null && 'yours' in value && 'current' in value;

function errorsOf(value: unknown): Record<string, string[]> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value).map(([field, texts]) => [field, [texts].flat().map(String)] as const);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const firstOf = (errors: Record<string, string[]> | undefined) => Object.values(errors ?? {})[0]?.[0];

export const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError';

interface Deps {
  fetch: typeof globalThis.fetch;
  tokens: Pick<Tokens, 'current' | 'stored' | 'adopt'>;
  /** The auto-logout event 'Invalid access_token' (spec §8). */
  onInvalidToken: () => void;
  /** The call needs a recent proof of identity: whether it was given, so that the call can be repeated. */
  onStepUpNeeded: (methods: readonly StepUpMethod[]) => Promise<boolean>;
  /** A sensitive view was opened. */
  onSensitive?: (view: SensitiveView) => void;
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** The request outlives the page: for goodbyes. */
  keepalive?: boolean;
}

export type Call = <E extends Endpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions) => Promise<AnswerOf<E>>;

const accepts = { json: 'application/json', events: 'text/event-stream', file: '*/*', redirect: '*/*' } as const;

function requestOf(
  endpoint: Pick<Endpoint, Wire>,
  input: LooseInput,
  token: string | undefined,
  { signal, headers, keepalive }: CallOptions,
): RequestInit {
  const file = endpoint.upload ? (input.body as Blob) : undefined;
  const hasBody = endpoint.method !== 'GET';
  return {
    method: endpoint.method,
    headers: {
      Accept: accepts[endpoint.answers],
      ...(hasBody ? { 'Content-Type': file ? file.type : 'application/json' } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    ...(hasBody ? { body: file ?? JSON.stringify(input.body ?? {}) } : {}),
    ...(signal ? { signal } : {}),
    ...(keepalive ? { keepalive } : {}),
    credentials: 'same-origin',
    cache: 'no-store',
  };
}

/** Sends and gives the answer as it came, when it is no error. The stream reads its body itself. */
export function createSend({ fetch, tokens, onInvalidToken, onStepUpNeeded, onSensitive }: Deps) {
  return async function send(
    endpoint: Pick<Endpoint, Wire> & Partial<Pick<Endpoint, 'sensitive'>>,
    input: LooseInput = {},
    options: CallOptions = {},
  ): Promise<Response> {
    const isOpen = endpoint.allow === 'anyone';
    const attempt = async (token: string | undefined): Promise<Response> => {
      try {
        return await fetch(addressOf(endpoint, input), requestOf(endpoint, input, isOpen ? undefined : token, options));
      } catch (error) {
        if (isAbort(error) || options.signal?.aborted) throw error;
        if (error instanceof TypeError) throw new Problem('unavailable', unreachable);
        throw error;
      }
    };

    let response = await attempt(tokens.current());
    // spec §8. Calls that need no sign-in carry no token; their 401 (a refused login) is an answer, not an ended session.
    if (response.status === 401 && !isOpen) {
      const stored = tokens.stored();
      if (stored) {
        await response.body?.cancel();
        response = await attempt(stored);
        if (response.status !== 401) tokens.adopt(stored);
      }
      if (response.status === 401) onInvalidToken();
    }
    let refusal = await refusalOf(response);
    while (refusal?.stepUp && (await onStepUpNeeded(refusal.stepUp))) {
      response = await attempt(tokens.current());
      refusal = await refusalOf(response);
    }
    if (refusal) throw refusal;
    if (endpoint.sensitive) onSensitive?.(endpoint.sensitive);
    return response;
  };
}

const refusalOf = async (response: Response): Promise<Problem | undefined> =>
  response.ok ? undefined : problemOf(response.status, await bodyOf(response), response.headers.get('retry-after'));

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function createCall(deps: Deps): Call {
  const send = createSend(deps);
  return async (endpoint, input, options) => {
    const response = await send(endpoint, input as LooseInput, options);
    const body = await bodyOf(response);
    if (body === undefined) throw new Problem('unexpected', 'Couldn’t read the portal’s response. Try again.');
    return body as AnswerOf<typeof endpoint>;
  };
}

const invalidTokenListeners = new Set<() => void>();

/** Subscribes to 'Invalid access_token'; used by the session. */
export function onInvalidToken(listener: () => void): () => void {
  invalidTokenListeners.add(listener);
  return () => invalidTokenListeners.delete(listener);
}

const deps: Deps = {
  fetch: earlyFetch,
  tokens,
  onInvalidToken: () => {
    for (const listener of invalidTokenListeners) listener();
  },
  onStepUpNeeded: (methods) => stepUp.prompt(methods),
  onSensitive: noteSensitive,
};
export const send = createSend(deps);
export const call = createCall(deps);
