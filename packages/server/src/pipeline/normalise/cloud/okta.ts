/** Okta’s System Log as the API returns it. The record stays unchanged (Sigma rules use its own fields); ECS fields are added. */
import type { Document } from '../../event.ts';
import {
  categorise,
  fill,
  ip,
  isObject,
  type Kind,
  kind,
  known,
  number,
  type Outcome,
  object,
  read,
  section,
  text,
} from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillPrincipal } from './principal.ts';

/** True for a LogEvent. */
export const isOkta = (document: Document): boolean =>
  typeof document.eventType === 'string' &&
  document.published !== undefined &&
  document.uuid !== undefined &&
  isObject(document.actor);

const outcomes = new Map<string, Outcome>([
  ['SUCCESS', 'success'],
  ['ALLOW', 'success'],
  ['FAILURE', 'failure'],
  ['DENY', 'failure'],
]);

/** Fills ECS from a LogEvent. */
export function fillOkta(document: Document): Reading {
  const type = text(document.eventType) ?? '';
  const event = section(document, 'event');
  fill(event, 'module', 'okta');
  fill(event, 'dataset', 'okta.system');
  fill(event, 'provider', 'Okta');
  fill(event, 'id', known(document.uuid));
  fill(event, 'reason', known(read(document, 'outcome.reason')));
  const result = known(read(document, 'outcome.result'));
  categorise(document, kindOf(type, result === undefined ? undefined : (outcomes.get(result) ?? 'unknown')));
  const targets = targetsOf(document);
  fillUsers(document, targets);
  fillSource(document);
  const application = targets.find((target) => target.type === 'AppInstance');
  if (application) fill(section(document, 'service'), 'name', known(application.displayName));
  const agent = known(read(document, 'client.userAgent.rawUserAgent'));
  if (agent !== undefined) fill(section(document, 'user_agent'), 'original', agent);
  return { times: [document.published, document['@timestamp']], line: lineOf(document, type, targets) };
}

function kindOf(type: string, outcome: Outcome | undefined): Kind {
  const of = (category: string, change: string) => kind(category, change, type, outcome);
  if (/^user\.(?:session\.start|authentication\.|mfa\.(?:okta_verify|attempt_bypass))|^policy\.evaluate_sign_on/.test(type))
    return of('authentication', 'start');
  if (/^user\.session\.end/.test(type)) return of('authentication', 'end');
  const change = /\.(?:create|add|grant|initiate|activate)$/.test(type)
    ? 'creation'
    : /\.(?:delete|remove|revoke|deactivate|reset|reset_all)$/.test(type)
      ? 'deletion'
      : /\.(?:update|change)/.test(type)
        ? 'change'
        : 'info';
  if (/^(?:user|group|application\.user_membership|iam)\./.test(type)) return of('iam', change);
  if (/^security\./.test(type)) return of('threat', 'indicator');
  return of(/^(?:policy|system|zone|application|device)\./.test(type) ? 'configuration' : 'web', change);
}

const targetsOf = ({ target }: Document): Document[] => (Array.isArray(target) ? target.slice(0, 20).filter(isObject) : []);

function fillUsers(document: Document, targets: readonly Document[]): void {
  const actor = object(document.actor);
  const user = section(document, 'user');
  fillPrincipal(user, known(actor?.alternateId) ?? known(actor?.displayName), known(actor?.id), known(actor?.displayName));
  const target = targets.find(({ type }) => type === 'User');
  if (target === undefined || known(target.id) === known(actor?.id)) return;
  fillPrincipal(section(user, 'target'), known(target.alternateId), known(target.id), known(target.displayName));
}

function fillSource(document: Document): void {
  const address = ip(read(document, 'client.ipAddress'));
  if (address === undefined) return;
  const source = section(document, 'source');
  fill(source, 'ip', address);
  const place = object(read(document, 'client.geographicalContext'));
  const country = known(place?.country);
  if (country !== undefined) fill(section(source, 'geo'), 'country_name', country);
  const city = known(place?.city);
  if (city !== undefined) fill(section(source, 'geo'), 'city_name', city);
  const network = number(read(document, 'securityContext.asNumber'));
  if (network === undefined) return;
  const as = section(source, 'as');
  fill(as, 'number', network);
  const owner = known(read(document, 'securityContext.asOrg'));
  if (owner !== undefined) fill(section(as, 'organization'), 'name', owner);
}

function lineOf(document: Document, type: string, targets: readonly Document[]): string {
  const who = known(read(document, 'actor.alternateId')) ?? known(read(document, 'actor.displayName')) ?? 'unknown';
  const address = text(read(document, 'source.ip'));
  const country = known(read(document, 'client.geographicalContext.country'));
  const result = known(read(document, 'outcome.result'));
  const reason = known(read(document, 'outcome.reason'));
  const names = targets.map((target) => known(target.displayName) ?? known(target.alternateId)).filter(Boolean);
  const from = address === undefined ? '' : ` from ${address}${country === undefined ? '' : ` (${country})`}`;
  const outcome = result === undefined || result === 'SUCCESS' ? '' : `, ${result.toLowerCase()}${reason ? `: ${reason}` : ''}`;
  const about = names.length === 0 ? '' : ` → ${names.slice(0, 3).join(', ')}`;
  return `${known(document.displayMessage) ?? type} by ${who}${from}${outcome}${about}`;
}
