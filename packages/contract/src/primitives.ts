/** Bounded building blocks of every schema: no text, number or list is accepted or returned without a limit. */
import { z } from 'zod';
import { type deviceTypes, maxId, severities } from './rules/values.ts';

/** Integer; in a path or query decimal digits only ("0x1", " 1", "", true and [1] are rejected). */
const whole = (min: number, max = maxId) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value),
    z
      .number({ error: ({ code }) => (code === 'invalid_type' ? 'This must be a whole number.' : undefined) })
      .int()
      .min(min)
      .max(max),
  );

/** Record ID, 1…2147483647. */
export const id = whole(1);
/** Client organisation ID; 0 means all in the caller's scope. */
export const clientId = whole(0);
export const organisationId = z.number().int().min(1).max(maxId);
export const count = z.number().int().min(0);

export const name = z.string().trim().min(1).max(200);
/** Name on one line, for use in email headers. */
export const nameLine = name.regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'Enter a single line.');
/** Line of text from an event, a rule or a user; rendered as text, never as markup. */
export const line = z.string().max(2000);
export const paragraph = z.string().max(20_000);
/** ISO 8601 instant, UTC or with an offset. */
export const instant = z.iso.datetime({ offset: true }).max(40);

/** `{start}/{end}` of a path: ISO 8601 instants, end exclusive, start before end. */
export const timeRange = { start: instant, end: instant };
export const startBeforeEnd = <T extends { start: string; end: string }>(schema: z.ZodType<T>) =>
  schema.refine((range) => Date.parse(range.start) < Date.parse(range.end), {
    path: ['end'],
    message: 'The end must be after the start.',
  });

export const page = {
  page: whole(1).default(1),
  pageSize: whole(1, 200).default(50),
};

/** List in a query: comma-separated or repeated. An empty string is an empty list. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z
    .preprocess((value) => {
      if (value === undefined || value === '') return [];
      return (Array.isArray(value) ? value : [value]).flatMap((text) => (typeof text === 'string' ? text.split(',') : [text]));
    }, z.array(item).max(200))
    .default([]);

export const results = <T extends z.ZodType>(item: T, limit = 10_000) =>
  z.object({ results: z.array(item).max(limit), total: count.describe('Total number, beyond this page.') });

export const severity = z
  .enum(severities)
  .describe('Severity from the rule’s level: critical, high, medium, low or informational.');
export type Severity = (typeof severities)[number];
/** criticalityNumber 1…5 = Informational … Critical, from the rule's level. */
export const criticalityOf: Record<Severity, number> = { informational: 1, low: 2, medium: 3, high: 4, critical: 5 };
export const severityOf = (criticality: number): Severity => severities[5 - criticality] ?? 'informational';

export type DeviceType = (typeof deviceTypes)[number];

/** IANA time zone, for example Europe/Berlin. */
export const timeZone = z
  .string()
  .max(64)
  .refine(
    (zone) => {
      try {
        new Intl.DateTimeFormat('en', { timeZone: zone });
        return !/^[+-]/.test(zone);
      } catch {
        return false;
      }
    },
    { message: 'Enter an IANA time zone, such as Europe/Berlin.' },
  );

/** Confirmation required for response requests with a warning about the target (rules/responseTargets.ts). */
export const acknowledgesWarning = z
  .boolean()
  .default(false)
  .describe('True to confirm the warning about the target; without it, a target with a warning returns 409.');
