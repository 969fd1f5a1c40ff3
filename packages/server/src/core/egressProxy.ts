/**
 * Tunnels through the operator's egress proxy (CONNECT, RFC 9110). The proxy is given the address that was checked here, never a name: what a name
 * means to the proxy could not be checked.
 */
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIPv6, type Socket } from 'node:net';

/** The proxy is away, or refuses. */
export class ProxyError extends Error {
  readonly code: 'PROXY_UNREACHABLE' | 'PROXY_REFUSED' | 'PROXY_CREDENTIALS';

  constructor(code: ProxyError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Opens a tunnel to an address. Throws a `ProxyError`.
 * @param proxy http or https, with user and password where it needs them
 */
export function openTunnel(proxy: string, address: string, port: number, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname, port: proxyPort, username, password } = new URL(proxy);
  const path = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? tlsRequest : plainRequest)({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: proxyPort || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path,
      agent: false,
      headers: {
        host: path,
        ...(username && { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
    });
    const timer = setTimeout(() => request.destroy(new Error('the proxy did not answer in time')), timeoutMs);
    request.on('error', (error) => {
      clearTimeout(timer);
      reject(new ProxyError('PROXY_UNREACHABLE', `The egress proxy can’t be reached: ${error.message}`));
    });
    const refuse = (status: number) =>
      reject(
        new ProxyError(
          status === 407 ? 'PROXY_CREDENTIALS' : 'PROXY_REFUSED',
          `The egress proxy returned ${status} for ${path}.`,
        ),
      );
    // An answer without a tunnel.
    request.on('response', (response) => {
      clearTimeout(timer);
      response.destroy();
      refuse(response.statusCode ?? 0);
    });
    request.on('connect', (response, socket, head) => {
      clearTimeout(timer);
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      refuse(response.statusCode ?? 0);
    });
    request.end();
  });
}
