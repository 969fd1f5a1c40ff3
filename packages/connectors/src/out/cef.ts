/**
 * Messages in the Common Event Format, revision 25 (ArcSight Common Event Format Implementation Standard): a header whose values escape `|` and `\`, and
 * extensions whose values escape `=`, `\` and line breaks. Text is hostile: no value can add a field or a line.
 */
import type { Message } from './target.ts';

const severities = { critical: 10, high: 8, medium: 5, low: 3, informational: 1 } as const;
const maxName = 512;
const maxValue = 1_023;
const maxFacts = 4_000;

/** Control and format characters hide or reorder text where logs are read. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const cut = (text: string, max: number): string => text.slice(0, max).toWellFormed();

export const headerValue = (text: string): string => cut(text.replace(hidden, ' ').trim(), maxName).replace(/[\\|]/g, '\\$&');

/** Line breaks stay, as `\n`. */
export const extensionValue = (text: string, max = maxValue): string =>
  cut(
    text
      .split(/\r\n|\r|\n/)
      .map((line) => line.replace(hidden, ' '))
      .join('\n')
      .trim(),
    max,
  )
    .replace(/[\\=]/g, '\\$&')
    .replaceAll('\n', '\\n');

export function cefOf({ id, event, at, subject, severity, sender, client, title, facts, url }: Message): string {
  const header = [sender, 'Security portal', '1', event, title].map(headerValue).join('|');
  const extensions: [string, string][] = [
    ['rt', String(Date.parse(at))],
    ['externalId', extensionValue(id)],
    ['cat', extensionValue(event)],
    ['msg', extensionValue(title)],
    ['request', extensionValue(url)],
    ['cs1Label', 'Client'],
    ['cs1', extensionValue(client)],
    ['cs2Label', 'Subject'],
    ['cs2', extensionValue(subject)],
    ['cs3Label', 'Facts'],
    ['cs3', extensionValue(facts.map(([name, value]) => `${name}: ${value}`).join('\n'), maxFacts)],
  ];
  const fields = extensions.map(([name, value]) => `${name}=${value}`).join(' ');
  return `CEF:0|${header}|${severity === null ? 1 : severities[severity]}|${fields}`;
}
