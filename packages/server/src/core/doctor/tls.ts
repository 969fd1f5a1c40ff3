/** Certificates that servers present, directly or after STARTTLS. */
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type Finding, ok, problem, reasonOf, spanOf, warning } from './report.ts';

const timeoutMs = 10_000;

export function expiryOf(check: string, from: Date, to: Date, now: number): Finding {
  const left = to.getTime() - now;
  const day = to.toISOString().slice(0, 10);
  if (from.getTime() > now)
    return problem(check, `is valid from ${from.toISOString().slice(0, 10)} on. Check the clock, or replace it.`);
  if (left <= 0) return problem(check, `expired on ${day}. Renew it.`);
  if (left < 7 * dayMs) return problem(check, `expires on ${day}, in ${spanOf(left)}. Renew it now.`);
  if (left < 30 * dayMs) return warning(check, `expires on ${day}, in ${spanOf(left)}. Renew it.`);
  return ok(check, `valid until ${day}.`);
}

export interface TlsServer {
  host: string;
  port: number;
  isStartTls: boolean;
}

/** A mail server that lists no STARTTLS, to which mails go in clear. */
class NoStartTlsError extends Error {}

export const isLocal = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || /^(127\.|::1$)/.test(host);

/** Certificate of a server: trust, name and expiry. */
export async function checkCertificate(check: string, server: TlsServer, now: number): Promise<Finding> {
  const place = `${server.host}:${server.port}`;
  let socket: TLSSocket | undefined;
  try {
    socket = await open(server);
    const certificate = socket.getPeerCertificate() as PeerCertificate;
    const validity = expiryOf(check, new Date(certificate.valid_from), new Date(certificate.valid_to), now);
    if (validity.level === 'problem') return { ...validity, text: `the certificate of ${place} ${validity.text}` };
    if (!socket.authorized)
      return problem(
        check,
        `the certificate of ${place} is not trusted (${reasonOf(socket.authorizationError)}). Install one for this name with its chain.`,
      );
    return { ...validity, text: `the certificate of ${place} ${validity.level === 'ok' ? 'is ' : ''}${validity.text}` };
  } catch (error) {
    if (error instanceof NoStartTlsError)
      return isLocal(server.host)
        ? ok(check, `${place} offers no TLS, which a relay on this machine does not need.`)
        : warning(check, `${place} offers no TLS: mails cross the network in clear. Turn STARTTLS on, or use smtps://.`);
    return problem(check, `${place} cannot be reached over TLS: ${reasonOf(error)}. Check address, port and firewall.`);
  } finally {
    socket?.destroy();
  }
}

async function open({ host, port, isStartTls }: TlsServer): Promise<TLSSocket> {
  const signal = AbortSignal.timeout(timeoutMs);
  const plain = isStartTls ? await startTls(host, port, signal) : undefined;
  const socket = connect({
    ...(plain ? { socket: plain } : { host, port }),
    // A name of an address is none.
    ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
    // Expiry and name are reported apart.
    rejectUnauthorized: false,
  });
  socket.on('error', () => {});
  try {
    await waited(socket, 'secureConnect', signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function startTls(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connectPlain({ host, port }).on('error', () => {});
  try {
    await answer(socket, '220', signal);
    socket.write('EHLO localhost\r\n');
    const offers = await answer(socket, '250', signal);
    if (!/^250[- ]STARTTLS\b/im.test(offers)) throw new NoStartTlsError('the mail server offers no STARTTLS');
    socket.write('STARTTLS\r\n');
    await answer(socket, '220', signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Reads to the last line of an SMTP answer. */
async function answer(socket: Socket, code: string, signal: AbortSignal): Promise<string> {
  let text = '';
  while (!/^\d{3} [^\n]*\n$/m.test(text.slice(text.lastIndexOf('\n', text.length - 2) + 1))) {
    const [part] = await waited(socket, 'data', signal);
    text += String(part);
    if (text.length > 10_000) throw new Error('the server does not speak SMTP');
  }
  if (!text.startsWith(code)) throw new Error(`the mail server answered ${JSON.stringify(text.slice(0, 100).trim())}`);
  return text;
}

async function waited(socket: Socket, event: string, signal: AbortSignal): Promise<unknown[]> {
  const ended = new AbortController();
  const closed = once(socket, 'close', { signal: ended.signal }).then(() => {
    throw new Error('the connection was closed');
  });
  try {
    return await Promise.race([once(socket, event, { signal }), closed]);
  } catch (error) {
    throw signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} seconds`) : error;
  } finally {
    closed.catch(() => {});
    ended.abort();
  }
}
