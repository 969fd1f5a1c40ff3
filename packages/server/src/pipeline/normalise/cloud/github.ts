/** GitHub’s audit log as the REST API returns it. The record stays unchanged but for `user`, whose name becomes the target; ECS fields are added. */
import type { Document } from '../../event.ts';
import { categorise, fill, ip, type Kind, kind, known, read, section, text } from '../doc.ts';
import type { Reading } from '../syslog.ts';

/** True for an event of an organisation’s or enterprise’s audit log. */
export const isGithub = (document: Document): boolean =>
  typeof document.action === 'string' &&
  (document._document_id !== undefined || document.actor_location !== undefined) &&
  (document.org !== undefined || document.business !== undefined || document.actor !== undefined);

/** Fills ECS from an audit log event. */
export function fillGithub(document: Document): Reading {
  const action = text(document.action) ?? '';
  const event = section(document, 'event');
  fill(event, 'module', 'github');
  fill(event, 'dataset', 'github.audit');
  fill(event, 'provider', 'GitHub');
  fill(event, 'id', known(document._document_id));
  categorise(document, kindOf(action));
  const time = document['@timestamp'] ?? document.created_at;
  // The interface returns milliseconds, which other events of `@timestamp` do not have.
  if (typeof time === 'number' && Math.abs(time) < 8.64e15) document['@timestamp'] = new Date(time).toISOString();
  fillUsers(document);
  const address = ip(document.actor_ip);
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
  const country = known(read(document, 'actor_location.country_code'));
  if (country !== undefined) fill(section(section(document, 'source'), 'geo'), 'country_iso_code', country);
  if (document.user_agent !== undefined) section(document, 'user_agent');
  const organisation = known(document.org);
  if (organisation !== undefined) fill(section(document, 'organization'), 'name', organisation);
  return { times: [document['@timestamp']], line: lineOf(document, action) };
}

function kindOf(action: string): Kind {
  const type = /\.(?:create|add_member|add|enable|invite_member|register|publicize|grant|fork|clone)/.test(action)
    ? 'creation'
    : /\.(?:destroy|delete|remove|disable|cancel|revoke|dismiss)/.test(action)
      ? 'deletion'
      : /\.(?:update|change|modify|rename|transfer|access)/.test(action)
        ? 'change'
        : 'info';
  if (/^(?:org|team|business)\.(?:\w*member|\w*collaborator|update_member)|^user\.|^role\./.test(action))
    return kind('iam', type, action);
  if (/^git\./.test(action)) return kind('file', 'access', action);
  return kind('configuration', type, action);
}

function fillUsers(document: Document): void {
  const target = text(document.user);
  if (target !== undefined) delete document.user;
  const user = section(document, 'user');
  fill(user, 'name', known(document.actor));
  fill(user, 'id', known(document.actor_id));
  if (target !== undefined && target !== document.actor) fill(section(user, 'target'), 'name', target);
}

function lineOf(document: Document, action: string): string {
  const target = known(read(document, 'user.target.name'));
  const place = known(document.repo) ?? known(document.team) ?? known(document.org);
  const address = text(read(document, 'source.ip'));
  const about = target === undefined ? '' : `: ${target}`;
  return `${action} by ${known(document.actor) ?? 'unknown'}${address ? ` from ${address}` : ''}${place ? ` in ${place}` : ''}${about}`;
}
