/**
 * The shape of a call. One definition has three readers: the server serves it, the web calls it, the tests sweep it; the OpenAPI
 * document is made from it. `allow` is required, so that no call can be forgotten when permissions are given out.
 */
import { z } from 'zod';
import type { Allow } from './access.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What comes back: one JSON document; server-sent events whose data each have the shape `answer`; a file; or the browser is sent elsewhere.
 */
export type Answers = 'json' | 'events' | 'file' | 'redirect';

/** A body that is a file's bytes instead of JSON. */
export interface Upload {
  types: readonly string[];
  maxBytes: number;
}

export const nothing = z.object({});
type Nothing = typeof nothing;
type Schema = z.ZodType;

export interface Endpoint<
  P extends Schema = Schema,
  Q extends Schema = Schema,
  B extends Schema = Schema,
  A extends Schema = Schema,
  K extends Answers = Answers,
> {
  /** One id everywhere: query key on the web, operation in the log, row of the access table. */
  id: string;
  method: Method;
  /** Below `prefix`, parameters as `:name`. Matched without regard to case, with and without a trailing slash. */
  path: string;
  prefix: '/api/v1' | '';
  allow: Allow;
  /** One sentence for people; becomes the OpenAPI summary. */
  summary: string;
  params: P;
  query: Q;
  body: B;
  answer: A;
  answers: K;
  /** null: the body is JSON. */
  upload: Upload | null;
}

interface Definition<P extends Schema, Q extends Schema, B extends Schema, A extends Schema, K extends Answers> {
  id: string;
  method: Method;
  path: string;
  prefix?: '';
  allow: Allow;
  summary: string;
  params?: P;
  query?: Q;
  body?: B;
  answer: A;
  answers?: K;
  upload?: Upload;
}

export function endpoint<
  P extends Schema = Nothing,
  Q extends Schema = Nothing,
  B extends Schema = Nothing,
  A extends Schema = Nothing,
  K extends Answers = 'json',
>(definition: Definition<P, Q, B, A, K>): Endpoint<P, Q, B, A, K> {
  return {
    ...definition,
    prefix: definition.prefix ?? '/api/v1',
    params: definition.params ?? (nothing as unknown as P),
    query: definition.query ?? (nothing as unknown as Q),
    body: definition.body ?? (nothing as unknown as B),
    answers: definition.answers ?? ('json' as K),
    upload: definition.upload ?? null,
  };
}

/** What a caller passes: parts that need nothing may be left out. */
export type InputOf<E extends Endpoint> = Part<'params', z.input<E['params']>> &
  Part<'query', z.input<E['query']>> &
  Part<'body', z.input<E['body']>>;

type Part<Name extends string, Value> = Record<string, never> extends Value ? { [K in Name]?: Value } : { [K in Name]: Value };

export type AnswerOf<E extends Endpoint> = z.output<E['answer']>;
