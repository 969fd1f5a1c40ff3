/**
 * Activities of Google Workspace as the Reports API returns them. The record stays unchanged; ECS fields are added, and the parameters of its events by
 * their names under `google_workspace`.
 */
import type { Document } from '../../event.ts';
import {
  categorise,
  fill,
  ip,
  isObject,
  type Kind,
  kind,
  known,
  type Outcome,
  object,
  read,
  section,
  setOwn,
  text,
} from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillPrincipal } from './principal.ts';

const maxParameters = 100;

/** True for an activity. */
export const isGoogle = (document: Document): boolean =>
  isObject(document.id) &&
  typeof document.id.applicationName === 'string' &&
  document.id.time !== undefined &&
  Array.isArray(document.events);

/** Fills ECS from an activity. */
export function fillGoogle(document: Document): Reading {
  const application = known(read(document, 'id.applicationName')) ?? 'unknown';
  const events = (document.events as unknown[]).slice(0, 20).filter(isObject);
  const names = events.map(({ name }) => known(name)).filter((name) => name !== undefined);
  const event = section(document, 'event');
  fill(event, 'module', 'google_workspace');
  fill(event, 'dataset', `google_workspace.${/^\w{1,40}$/.test(application) ? application : 'other'}`);
  fill(event, 'provider', 'Google Workspace');
  fill(event, 'id', known(read(document, 'id.uniqueQualifier')));
  const [name = application] = names;
  categorise(document, kindOf(application, name));
  const parameters = fillParameters(document, events, names);
  const user = section(document, 'user');
  fillPrincipal(user, known(read(document, 'actor.email')), known(read(document, 'actor.profileId')));
  const target = known(parameters?.USER_EMAIL) ?? known(parameters?.affected_email_address);
  if (target !== undefined && target !== read(document, 'actor.email')) fillPrincipal(section(user, 'target'), target);
  const address = ip(document.ipAddress);
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
  const file = known(parameters?.doc_title);
  if (file !== undefined) fill(section(document, 'file'), 'name', file);
  const customer = known(read(document, 'id.customerId'));
  if (customer !== undefined) fill(section(document, 'organization'), 'id', customer);
  return { times: [read(document, 'id.time'), document['@timestamp']], line: lineOf(document, names, target ?? file) };
}

/** Values by name, the first of each; `google_workspace.event.name` lists the names of the events. */
function fillParameters(document: Document, events: readonly Document[], names: readonly string[]): Document | undefined {
  const place = section(document, 'google_workspace');
  fill(section(place, 'event'), 'name', names);
  fill(section(place, 'event'), 'type', known(events[0]?.type));
  const parameters = object(place.parameters) ?? {};
  let count = Object.keys(parameters).length;
  for (const { parameters: list } of events) {
    if (!Array.isArray(list)) continue;
    for (const parameter of list.slice(0, maxParameters)) {
      const name = isObject(parameter) ? known(parameter.name) : undefined;
      if (name === undefined || !/^\w{1,60}$/.test(name) || Object.hasOwn(parameters, name) || count >= maxParameters) continue;
      const { value, multiValue, boolValue, intValue } = parameter as Document;
      setOwn(parameters, name, value ?? multiValue ?? boolValue ?? intValue ?? null);
      count++;
    }
  }
  if (count === 0) return undefined;
  place.parameters = parameters;
  return parameters;
}

function kindOf(application: string, name: string): Kind {
  const outcome: Outcome | undefined = /failure|blocked/.test(name) ? 'failure' : /success$/.test(name) ? 'success' : undefined;
  const type = /^(?:CREATE|ADD|ASSIGN|GRANT|AUTHORIZE)|^authorize|^create/.test(name)
    ? 'creation'
    : /^(?:DELETE|REMOVE|REVOKE|SUSPEND|UNASSIGN)|^revoke|^(?:delete|trash)/.test(name)
      ? 'deletion'
      : /^(?:CHANGE|UPDATE|TOGGLE|ENFORCE|ALLOW)|change|edit|enroll|disable/.test(name)
        ? 'change'
        : 'info';
  if (application === 'login')
    return /^(?:suspicious|gov_attack|account_disabled)/.test(name)
      ? kind('threat authentication', 'indicator', name, outcome)
      : kind('authentication', name === 'logout' ? 'end' : 'start', name, outcome);
  if (application === 'drive') return kind('file', type === 'info' ? 'access' : type, name, outcome);
  if (application === 'user_accounts') return kind('iam', type, name, outcome);
  return kind(application === 'token' ? 'iam' : 'configuration', type, name, outcome);
}

function lineOf(document: Document, names: readonly string[], about: string | undefined): string {
  const who = known(read(document, 'actor.email')) ?? 'unknown';
  const address = text(read(document, 'source.ip'));
  return `${names.join(', ') || 'Activity'} by ${who}${address ? ` from ${address}` : ''}${about ? `: ${about}` : ''}`;
}
