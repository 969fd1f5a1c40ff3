/**
 * Parses web servers’ access logs, common and combined, with an optional virtual host before or further fields behind.
 * Parsed by position: the request, referrer and user agent are untrusted, of any length, with quotes escaped by a backslash
 * (Apache) or as `\x22` (nginx).
 */
import type { Document } from '../event.ts';
import { fill, ip, kind, known, number, section } from './doc.ts';

export interface AccessLine {
  vhost: string | undefined;
  client: string;
  user: string | undefined;
  /** `10/Oct/2000:13:55:36 -0700` */
  time: string;
  request: string;
  status: number;
  bytes: number | undefined;
  referrer: string | undefined;
  agent: string | undefined;
}

const longestClient = 300;

/** Parses `client ident user [time] "request" status bytes "referrer" "agent"`; undefined for other lines. */
export function readAccessLine(line: string): AccessLine | undefined {
  const open = line.indexOf(' [');
  if (open < 5 || open > 1000) return undefined;
  const close = line.indexOf('] "', open);
  if (close < 0 || close - open > 40) return undefined;
  const words = line.slice(0, open).split(' ');
  const vhost = words.length > 3 && /^[\w.-]+(?::\d{1,5})?$/.test(words[0]!) && words[2] === '-' ? words[0] : undefined;
  const client = words[vhost === undefined ? 0 : 1];
  if (client === undefined || client === '' || client.length > longestClient || words.length < 3) return undefined;
  const user = words.slice(vhost === undefined ? 2 : 3).join(' ');
  const requestEnd = closingQuote(line, close + 3);
  if (requestEnd < 0) return undefined;
  const numbers = /^ (\d{3}) (\d{1,18}|-)/.exec(line.slice(requestEnd + 1, requestEnd + 30));
  if (numbers === null) return undefined;
  let at = requestEnd + 1 + numbers[0].length;
  const quoted = (): string | undefined => {
    if (line[at] !== ' ' || line[at + 1] !== '"') return undefined;
    const end = closingQuote(line, at + 2);
    if (end < 0) return undefined;
    const value = line.slice(at + 2, end);
    at = end + 1;
    return value;
  };
  const referrer = quoted();
  const agent = quoted();
  return {
    vhost,
    client,
    user: known(user),
    time: line.slice(open + 2, close),
    request: line.slice(close + 3, requestEnd),
    status: Number(numbers[1]),
    bytes: number(numbers[2]),
    referrer: known(referrer),
    agent: known(agent),
  };
}

function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    let slashes = 0;
    while (line.charCodeAt(at - 1 - slashes) === 92 && at - 1 - slashes >= from) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

const served = kind('web', 'access', 'http_request', 'success');
const refused = kind('web', 'access error', 'http_request', 'failure');

/** Category and outcome of a request by its response status; 400 and above is a failure. */
export function kindOfStatus(status: number | undefined) {
  return status !== undefined && status >= 400 ? refused : served;
}

/** Fills `source`, `http`, `url`, `user_agent` and `user` from a line. */
export function fillAccess(document: Document, line: AccessLine): void {
  const source = section(document, 'source');
  fill(source, 'address', line.client);
  const address = ip(line.client);
  if (address !== undefined) fill(source, 'ip', address);
  else fill(source, 'domain', line.client);
  if (line.user !== undefined) fill(section(document, 'user'), 'name', line.user);
  const http = section(document, 'http');
  const { method, target, version } = splitRequest(line.request);
  const request = section(http, 'request');
  fill(request, 'method', method);
  fill(request, 'referrer', line.referrer);
  fill(http, 'version', version);
  const response = section(http, 'response');
  fill(response, 'status_code', line.status);
  if (line.bytes !== undefined) fill(section(response, 'body'), 'bytes', line.bytes);
  fillUrl(document, target);
  if (line.vhost !== undefined) fill(section(document, 'url'), 'domain', line.vhost.replace(/:\d+$/, ''));
  if (line.agent !== undefined) fill(section(document, 'user_agent'), 'original', line.agent);
}

/** `GET /a?b HTTP/1.1` → its parts; any other input (a TLS hello, a scanner’s bytes) becomes the target. */
function splitRequest(request: string): { method: string | undefined; target: string; version: string | undefined } {
  const space = request.indexOf(' ');
  const method = space > 0 && space <= 32 ? request.slice(0, space) : undefined;
  if (method === undefined || !/^[A-Za-z_-]+$/.test(method)) return { method: undefined, target: request, version: undefined };
  const last = request.lastIndexOf(' HTTP/');
  return last > space - 1
    ? { method, target: request.slice(space + 1, last), version: request.slice(last + 6, last + 14) }
    : { method, target: request.slice(space + 1), version: undefined };
}

/**
 * Fills `url.original`, `.path`, `.query`, and `.domain` of an absolute target. Not decoded: rules match the encoded
 * attack.
 */
export function fillUrl(document: Document, target: string): void {
  if (target === '' || target === '-') return;
  const url = section(document, 'url');
  fill(url, 'original', target);
  let path = target;
  const absolute = /^([a-z][a-z0-9+.-]{0,20}):\/\/([^/?#]{1,300})/i.exec(target);
  if (absolute) {
    fill(url, 'scheme', absolute[1]!.toLowerCase());
    fill(url, 'domain', absolute[2]!.replace(/^[^@]*@/, '').replace(/:\d+$/, ''));
    path = target.slice(absolute[0].length);
  }
  const question = path.indexOf('?');
  fill(url, 'path', question < 0 ? path : path.slice(0, question));
  if (question >= 0) fill(url, 'query', path.slice(question + 1));
}

/** Sentence of method, path, status and client address. */
export function summariseAccess(line: AccessLine): string {
  const { method, target } = splitRequest(line.request);
  return `${method ?? 'Request'} ${target.slice(0, 700)} answered ${line.status} to ${line.client}${line.user === undefined ? '' : ` (${line.user})`}`;
}
