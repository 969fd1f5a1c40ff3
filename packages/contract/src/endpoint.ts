/**
 * Endpoint definitions, shared by the server, the web client, the tests and the OpenAPI document. `allow` is required, so that no endpoint lacks a
 * permission.
 */
import { z } from 'zod';
import type { Allow } from './access.ts';
import type { SensitiveView } from './rules/client-access-log.ts';

/**
 * Proof of identity required in addition to the permission: `fresh` a sign-in or step-up at most ten minutes old, `freshSecondFactor` the same with
 * MFA where the account has it, `freshOrKey` as `fresh`, or a scoped API key. A key is never fresh.
 *
 * Defaults by kind of change (access.txt lists every endpoint):
 *
 * | Kind of change                                                                                       | Freshness           |
 * | ---------------------------------------------------------------------------------------------------- | ------------------- |
 * | Reading; daily work on alerts, cases, devices, tags, views, reports; the caller's own settings       | `none`              |
 * | Revoking access: ending sessions, revoking API keys and enrolment tokens                             | `none`              |
 * | Identities: users, roles, addresses, passwords, MFA, API keys                                        | `freshSecondFactor` |
 * | Authentication and link targets: sign-in policy, identity providers, hosts of a brand                | `freshSecondFactor` |
 * | Code that runs on devices: releases of the agent                                                     | `freshSecondFactor` |
 * | Organisations: creating, moving, deactivating, reactivating; alert recipients; data retention        | `fresh`             |
 * | Data of a client: legal holds, erasure, and the second person’s decision                             | `freshSecondFactor` |
 * | Response policy: approvals, approval rules, protected assets                                         | `fresh`             |
 * | Intrusive responses: collecting files, ending processes, isolating servers                           | `fresh`             |
 * | Loss of visibility: revoking an agent                                                                | `fresh`             |
 * | Machines: creating and revoking ingest keys, creating enrolment tokens, collector configurations     | `freshOrKey`        |
 */
export const freshnessLevels = ['none', 'fresh', 'freshOrKey', 'freshSecondFactor'] as const;
export type FreshnessLevel = (typeof freshnessLevels)[number];

/** Condition on the body: required when a field is present, or has one of these values. */
export interface FreshWhen {
  needs: Exclude<FreshnessLevel, 'none'>;
  fields: Readonly<Record<string, 'given' | readonly (string | boolean)[]>>;
  /** Further condition on stored data, as text for the reviewed table; the service checks it with `requireFresh`. */
  also?: string;
}
export type Freshness = FreshnessLevel | FreshWhen;

/** Freshness required for a parsed body. */
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
 * Kind of response: one JSON document, server-sent events with data of the shape `answer`, a file, or a redirect.
 */
export type Answers = 'json' | 'events' | 'file' | 'redirect';

/** Request body of raw bytes instead of JSON. */
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
  /** Stable ID: query key of the web, operation in the log, row of the access table. */
  id: string;
  method: Method;
  /** Path below `prefix` with parameters as `:name`. Case-insensitive, with or without a trailing slash. */
  path: string;
  prefix: '/api/v1' | '';
  allow: Allow;
  freshness: Freshness;
  /** One sentence; becomes the OpenAPI summary. */
  summary: string;
  params: P;
  query: Q;
  body: B;
  answer: A;
  answers: K;
  /** null: a JSON body. */
  upload: Upload | null;
  /** Each access of staff is an entry of its own in the client’s access log; null: one entry a shift. */
  sensitive: SensitiveView | null;
}

interface Definition<P extends Schema, Q extends Schema, B extends Schema, A extends Schema, K extends Answers> {
  id: string;
  /** Method and path. */
  route: `${Method} /${string}`;
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
  sensitive?: SensitiveView;
}

export function endpoint<
  P extends Schema = Nothing,
  Q extends Schema = Nothing,
  B extends Schema = Nothing,
  A extends Schema = Nothing,
  K extends Answers = 'json',
>({ route, ...definition }: Definition<P, Q, B, A, K>): Endpoint<P, Q, B, A, K> {
  const [method, path] = route.split(' ') as [Method, string];
  return {
    ...definition,
    method,
    path,
    prefix: definition.prefix ?? '/api/v1',
    params: definition.params ?? (nothing as unknown as P),
    query: definition.query ?? (nothing as unknown as Q),
    body: definition.body ?? (nothing as unknown as B),
    answers: definition.answers ?? ('json' as K),
    upload: definition.upload ?? null,
    sensitive: definition.sensitive ?? null,
  };
}

/** Input of a call; empty parts may be omitted. */
export type InputOf<E extends Endpoint> = Part<'params', z.input<E['params']>> &
  Part<'query', z.input<E['query']>> &
  Part<'body', z.input<E['body']>>;

type Part<Name extends string, Value> = Record<string, never> extends Value ? { [K in Name]?: Value } : { [K in Name]: Value };

export type AnswerOf<E extends Endpoint> = z.output<E['answer']>;
