/**
 * Windows events in the form of Snare's agents, which NXLog's to_syslog_snare writes too: fields between tabs (Snare, Windows event output format, fields 1
 * to 15), of which the last is the rendered message with a space for each tab and line break. Values come out of the message by its English labels.
 */
import type { Document } from '../../event.ts';
import { valuesOf } from './rendered.ts';

/** The host stands before the mark without a syslog header, or if the header's parser did not take it for one. Relays of rsyslog escape tabs. */
const mark = /^(?:([\w.-]{1,255})(?:[ \t]|#011))?MSWinEventLog(?=\t|#011)/;

const outcomes: Readonly<Record<string, string>> = {
  'Success Audit': 'Audit Success',
  AUDIT_SUCCESS: 'Audit Success',
  'Failure Audit': 'Audit Failure',
  AUDIT_FAILURE: 'Audit Failure',
};

/** Labels behind one line break, which two spaces between words look like. */
const labels: Readonly<Record<string, RegExp>> = {
  'Microsoft-Windows-Sysmon': / {2}(?=[A-Z][A-Za-z0-9]{1,40}: )/g,
  'Service Control Manager': / {2}(?=Service [A-Z][A-Za-z ]{1,20}:)/g,
};

/** Line breaks before paragraphs and labels, where the number of spaces has them. */
function withLines(message: string, provider: string): string {
  const text = message
    .replace(/^(Creating Scriptblock text \(\d+ of \d+\):) +/, '$1\n')
    .replace(/ {4}(?=[A-Z])/g, '\n\n')
    .replace(/ {3}(?=[A-Z][A-Za-z()\- ]{1,40}:)/g, '\n\t');
  const label = labels[provider];
  return label ? text.replace(label, '\n') : text;
}

/** `Thu Sep 18 13:03:42 2025` without the day of the week, as syslog has it. */
const timeOf = (value: string): string | undefined => {
  const [, day, time, year] = /^[A-Z][a-z]{2} ([A-Z][a-z]{2} [ \d]?\d) (\d\d:\d\d:\d\d) (\d{4})$/.exec(value) ?? [];
  return day && `${day} ${year} ${time}`;
};

/**
 * A flat document of an event in this form, and the host before its mark; undefined for any other text. The event's time has no zone: it is for lines
 * without a time of their own.
 */
export function readSnare(line: string): { fields: Document; host: string | undefined; time: string | undefined } | undefined {
  const start = mark.exec(line);
  if (start === null) return undefined;
  const text = line.slice(start[0].length);
  const [, , channel, counter, time = '', id = '', provider = '', , , type = '', computer = '', , , ...rest] = (
    text.startsWith('#011') ? text.replaceAll('#011', '\t') : text
  ).split('\t');
  if (rest.length === 0 || !/^\d{1,10}$/.test(id) || computer === '') return undefined;
  // Behind the message comes a counter of its log.
  const last = rest.length > 1 && /^-?\d*\s*$/.test(rest.at(-1)!) ? rest.length - 1 : rest.length;
  const message = withLines(rest.slice(0, last).join('\t').trimEnd(), provider);
  const fields: Document = { Channel: channel, EventID: id, SourceName: provider, Computer: computer, RecordNumber: counter };
  fields.EventData = valuesOf(fields, message);
  const outcome = outcomes[type];
  if (outcome !== undefined) fields.Keywords = outcome;
  return { fields: { ...fields, Message: message }, host: start[1], time: timeOf(time) };
}
