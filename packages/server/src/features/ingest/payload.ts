/**
 * Documents from payloads without a schema of their own, as Splunk’s and OpenTelemetry’s shippers send them: a text is a JSON
 * object, a syslog message with its priority, or a line whose shape `normalise` recognises.
 */
import type { Document } from '../../pipeline/event.ts';
import { parseSyslog } from '../../pipeline/syslog/parse.ts';

const priority = /^<\d{1,3}>/;

export const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * @param receivedAt milliseconds since 1970; the year of a syslog time is chosen near it
 * @param isSyslog true for a text that is known to be a syslog message, whose priority a relay may have removed
 */
export function documentOf(payload: unknown, receivedAt: number, isSyslog = false): Document {
  if (isObject(payload)) return payload;
  if (typeof payload !== 'string') return { message: JSON.stringify(payload) };
  const text = payload.trimEnd();
  if (text.startsWith('{') && text.endsWith('}')) {
    try {
      // An object, because of its first character.
      return JSON.parse(text) as Document;
    } catch {
      // A line in braces.
    }
  }
  if (isSyslog || priority.test(text)) return parseSyslog(text, receivedAt);
  return { message: text };
}

/**
 * ISO 8601 with all digits of an epoch time, so that events of one millisecond stay apart.
 * @param fraction decimals of the second, up to nine digits
 * @returns undefined for a time outside 1970–9999
 */
export function isoTime(seconds: number, fraction: string): string | undefined {
  const ms = seconds * 1000;
  if (!(ms >= 0 && ms <= 253_402_300_799_000)) return undefined;
  const digits = fraction.slice(0, 9).replace(/0+$/, '').padEnd(3, '0');
  return `${new Date(ms).toISOString().slice(0, 19)}.${digits}Z`;
}
