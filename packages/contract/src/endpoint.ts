/**
 * The shape of a call. One definition has three readers: the server serves it, the web calls it, the tests sweep it; the OpenAPI
 * document is made from it. `allow` is required, so that no call can be forgotten when permissions are given out.
 */
import { z } from 'zod';
import type { Allow } from './access.ts';

/**
 * Proof of identity that a call asks for beside its permission: `fresh` a sign-in or step-up at most ten minutes old, `freshSecondFactor` the same with
 * a second factor where the account has one, `freshOrKey` as `fresh`, but a scoped API key may as well. A key is never fresh.
 *
 * The default for each kind of change (access.txt lists every call):
 *
 * | Kind of change                                                                                       | Freshness           |
 * | ---------------------------------------------------------------------------------------------------- | ------------------- |
 * | Reading; the daily work on alerts, cases, devices, tags, views, reports; one's own settings          | `none`              |
 * | Taking access away from people and programs: ending sessions, revoking API keys and enrolment tokens | `none`              |
 * | Who gets in and as what: users, roles, addresses, passwords, second factors, API keys                | `freshSecondFactor` |
 * | How identity is proven and where links lead: sign-in policy, identity providers, hosts of a brand    | `freshSecondFactor` |
 * | Code that runs on devices: releases of the agent                                                     | `freshSecondFactor` |
 * | Organisations: making, moving, deactivating, reactivating; who is alarmed; how long data is kept     | `fresh`             |
 * | Rules about responses: approvals, approval rules, protected assets                                   | `fresh`             |
 * | Responses that read or stop something: collecting files, ending processes, isolating servers         | `fresh`             |
 * | What makes a device unseen: revoking an agent                                                        | `fresh`             |
 * | Machines: ingest keys made and revoked, enrolment tokens made, configurations of collectors          | `freshOrKey`        |
 */
export const freshnessLevels = ['none', 'fresh', 'freshOrKey', 'freshSecondFactor'] as const;
export type FreshnessLevel = (typeof freshnessLevels)[number];

/** Asked for only where the body says so: where a field is given at all, or has one of these values. */
export interface FreshWhen {
  needs: Exclude<FreshnessLevel, 'none'>;
  fields: Readonly<Record<string, 'given' | readonly (string | boolean)[]>>;
  /** A further condition on stored data, in words for the reviewed table; the service checks it with `requireFresh`. */
  also?: string;
}
export type Freshness = FreshnessLevel | FreshWhen;

/** What a call with this body, parsed, asks for. */
export function freshnessOf({ freshness }: Pick<Endpoint, 'freshness'>, body: unknown): FreshnessLevel {
  if (typeof freshness === 'string') return freshness;
  const given = (body ?? {}) as Record<string, unknown>;
  const isMet = Object.entries(freshness.fields).some(([field, values]) =>
    values === 'given' ? given[field] !== undefined : values.includes(given[field] as string | boolean),
  );
  return isMet ? freshness.needs : 'none';
}

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
  freshness: Freshness;
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
  freshness: Freshness;
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
