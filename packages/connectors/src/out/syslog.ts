/**
 * Syslog over TLS: one frame of RFC 5424 with octet counting (RFC 5425, section 4.3) and a message in CEF. The protocol confirms nothing; a delivery
 * counts as accepted once the receiver read to the end and closed in order.
 */
import { cefOf } from './cef.ts';
import type { Message, TargetKind } from './target.ts';

const pem = (label: string) => new RegExp(`^(?:-----BEGIN ${label}-----[A-Za-z0-9+/=\\s]+-----END ${label}-----\\s*)*$`);
const hostAndPort = /^([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;
const defaultPort = 6514;

/** Facility local0. */
const facility = 16;
const severities = { critical: 2, high: 3, medium: 4, low: 5, informational: 6 } as const;

const printable = (text: string, max: number): string => text.replace(/[^!-~]/g, '').slice(0, max) || '-';

export function frameOf(message: Message): string {
  const { at, event, severity, url } = message;
  const priority = facility * 8 + (severity === null ? severities.informational : severities[severity]);
  const head = `<${priority}>1 ${at} ${printable(new URL(url).hostname, 255)} portal - ${printable(event, 32)} - `;
  const line = head + cefOf(message);
  return `${Buffer.byteLength(line)} ${line}`;
}

export const syslog: TargetKind = {
  id: 'syslog',
  title: 'Syslog (CEF over TLS)',
  capabilities: ['export'],
  isForClients: false,
  follows: false,
  documentation: 'https://www.rfc-editor.org/rfc/rfc5425',
  fields: [
    {
      name: 'receiver',
      label: 'Receiver',
      hint: 'Host and port, such as syslog.acme.example:6514',
      isSecret: false,
      pattern: hostAndPort,
      fault: 'Enter a host name and a port, such as syslog.acme.example:6514.',
    },
    {
      name: 'authority',
      label: 'Certificate authority',
      hint: 'PEM; empty for a certificate of a public authority',
      isSecret: false,
      isLong: true,
      pattern: pem('CERTIFICATE'),
      fault: 'Paste the certificate with its BEGIN and END lines.',
    },
    {
      name: 'certificate',
      label: 'Client certificate',
      hint: 'PEM; empty where the receiver asks for none',
      isSecret: false,
      isLong: true,
      pattern: pem('CERTIFICATE'),
      fault: 'Paste the certificate with its BEGIN and END lines.',
    },
    {
      name: 'key',
      label: 'Key of the client certificate',
      hint: 'PEM, without a passphrase',
      isSecret: true,
      isLong: true,
      pattern: pem('(?:RSA |EC )?PRIVATE KEY'),
      fault: 'Paste the key with its BEGIN and END lines.',
    },
  ],
  steps: [
    'Open a TLS input for syslog with octet counting (RFC 5425) at the receiver: imtcp with a TLS driver in rsyslog, syslog() with tls in syslog-ng.',
    'Enter host and port. Paste the authority of a private certificate, and a client certificate where the receiver asks for one.',
    'Syslog confirms nothing: an event counts as accepted once the receiver read it to the end and closed the connection in order.',
  ],
  async send({ message }, values, _send, stream) {
    const { receiver = '', authority = '', certificate = '', key = '' } = values;
    const [, host = '', port = String(defaultPort)] = hostAndPort.exec(receiver) ?? [];
    await stream({
      host: host.replace(/^\[|\]$/g, ''),
      port: Number(port),
      body: frameOf(message),
      ...(authority && { ca: authority }),
      ...(certificate && key && { cert: certificate, key }),
    });
    return { kind: 'accepted', id: null };
  },
};
