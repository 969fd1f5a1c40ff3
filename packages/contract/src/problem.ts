/** Errors of the API: codes with their HTTP status, and the response body. */
import { z } from 'zod';

export const statusOf = {
  invalid: 400,
  signInNeeded: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooLarge: 413,
  tooManyRequests: 429,
  unexpected: 500,
  unavailable: 503,
} as const;

export type ProblemCode = keyof typeof statusOf;

export const problemCodes = Object.keys(statusOf) as [ProblemCode, ...ProblemCode[]];

/** Step-up proofs within a session; members of the body of auth.stepUp. */
export const stepUpMethods = ['password', 'code'] as const;
export type StepUpMethod = (typeof stepUpMethods)[number];

export const problemBody = z.object({
  code: z.enum(problemCodes).describe('Error code; each code has one HTTP status.'),
  error: z.string().max(2000).describe('Message for people: the problem, the object, and the next step.'),
  errors: z
    .record(z.string().max(200), z.array(z.string().max(500)).max(50))
    .optional()
    .describe('Messages by input field.'),
  versions: z
    .object({
      yours: z.number().int().describe('Version that the request was based on.'),
      current: z.number().int().describe('Current version.'),
    })
    .optional()
    .describe('Versions of a write conflict.'),
  stepUp: z
    .array(z.enum(stepUpMethods))
    .max(10)
    .optional()
    .describe('Accepted step-up proofs (POST /auth/step-up), after which the request can be repeated.'),
  requestId: z.string().max(64).describe('Request ID in the server’s log.'),
});

export type ProblemBody = z.infer<typeof problemBody>;

/** Error thrown by the server, and by the web client for an error response. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: Record<string, string[]> | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly versions: ProblemBody['versions'];
  readonly stepUp: ProblemBody['stepUp'];

  constructor(
    code: ProblemCode,
    text: string,
    details: {
      errors?: Record<string, string[]>;
      requestId?: string;
      retryAfterSeconds?: number;
      versions?: ProblemBody['versions'];
      stepUp?: ProblemBody['stepUp'];
    } = {},
  ) {
    super(text);
    this.name = 'Problem';
    this.code = code;
    this.errors = details.errors;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.versions = details.versions;
    this.stepUp = details.stepUp;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

export const problem = {
  invalid: (errors: Record<string, string[]>, text?: string) => {
    const [field, texts] = Object.entries(errors)[0] ?? [];
    return new Problem('invalid', text ?? (field ? `${field}: ${texts?.[0]}` : 'The request is not valid.'), { errors });
  },
  signInNeeded: (text = 'Please sign in.') => new Problem('signInNeeded', text),
  forbidden: (text: string) => new Problem('forbidden', text),
  notFound: (thing: string, id: string | number) =>
    new Problem('notFound', `Couldn’t find ${thing} ${id}, or you don’t have access to it.`),
  /** A case that correlation made part of another one. */
  merged: (id: number, into: number) => new Problem('notFound', `Case ${id} became part of case ${into}. Open case ${into}.`),
  conflict: (text: string) => new Problem('conflict', text),
  /** Write conflict, with both versions. */
  stale: (thing: string, id: number, yours: number, current: number) =>
    new Problem(
      'conflict',
      `${thing} ${id} has changed: you have version ${yours}, the current version is ${current}. Review the changes and try again.`,
      { versions: { yours, current } },
    ),
  tooLarge: (text: string) => new Problem('tooLarge', text),
  tooManyRequests: (text: string, retryAfterSeconds: number) => new Problem('tooManyRequests', text, { retryAfterSeconds }),
  unavailable: (text: string, retryAfterSeconds = 5) => new Problem('unavailable', text, { retryAfterSeconds }),
};
