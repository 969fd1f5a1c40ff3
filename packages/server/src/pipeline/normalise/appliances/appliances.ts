/** Lines of firewalls and other appliances inside syslog messages, by their form. */
import type { Document } from '../../event.ts';
import { isCef, isLeef, readCef, readLeef } from './cef.ts';
import { isCisco, readCisco } from './cisco.ts';
import { type ApplianceFacts, fillAppliance } from './facts.ts';
import { isFortinet, readFortinet } from './fortinet.ts';
import { isPaloAlto, readPaloAlto } from './paloalto.ts';
import { isSonicWall, readSonicWall } from './sonicwall.ts';

const forms: [(message: string) => boolean, (message: string) => ApplianceFacts][] = [
  [isCef, readCef],
  [isLeef, readLeef],
  [isFortinet, readFortinet],
  [isPaloAlto, readPaloAlto],
  [isSonicWall, readSonicWall],
  [isCisco, readCisco],
];

/** Longest message that is read; the rest of a longer one stays text. */
const longest = 32_768;

/**
 * Fills ECS from an appliance's message.
 * @returns its summary and candidate times, or undefined for any other message
 */
export function fillFromAppliance(
  document: Document,
  message: string,
): (Pick<ApplianceFacts, 'times' | 'localTimes'> & { line: string }) | undefined {
  const read = forms.find(([isForm]) => isForm(message))?.[1];
  if (read === undefined) return undefined;
  const facts = read(message.slice(0, longest));
  return { line: fillAppliance(document, facts), times: facts.times, localTimes: facts.localTimes };
}

const dividedTag =
  /^(?:CEF|LEEF|CEF:|LEEF:|date=\S*|logver=\S*|timestamp=\S*|id=\S*|\d,\d{4}\/\d\d\/\d\d|%(?:ASA|FTD|PIX|NGIPS)-\S*)$/;

/**
 * A message whose beginning a syslog daemon took for its tag, put together again: `syslogtag: "CEF:"` and `msg: "0|Vendor|…"`,
 * `syslogtag: "date=2026-11-26"` and `msg: " time=08:00:00 …"`.
 */
export function undivided(tag: string | undefined, message: string): string {
  if (tag === undefined || !dividedTag.test(tag)) return message;
  const colon = /^(?:CEF|LEEF)$/.test(tag) ? ':' : '';
  const gap = message.startsWith(' ') || colon !== '' || tag.endsWith(':') ? '' : ' ';
  return `${tag}${colon}${gap}${message}`.replace(/^(CEF|LEEF): +/, '$1:');
}
