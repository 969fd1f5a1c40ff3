/**
 * Headers of every response, computed once: per request, helmet costs more than the rest of the hook chain
 * (docs/decisions/0009-security-headers-are-made-once.md).
 */
import { randomBytes } from 'node:crypto';
import helmet from '@fastify/helmet';
import Fastify from 'fastify';

export const cspReportPath = '/api/v1/csp-report';

/** No inline or foreign script, and nothing that would turn text into markup (docs/security.md). */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    'default-src': ["'self'"],
    'script-src': ["'self'"],
    // Style elements by the page's nonce. Attributes: the browser's own editing writes them into an editor's lines.
    'style-src': ["'self'"],
    'style-src-attr': ["'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    // The address of the service worker of notifications, and nothing else, is made by this policy (settings/browserNotifications.ts).
    'trusted-types': ['notifications'],
    // Browsers without the Reporting API.
    'report-uri': [cspReportPath],
    'report-to': ['csp'],
  },
};

const none = ['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'idle-detection', 'magnetometer'];
const noneEither = ['microphone', 'midi', 'payment', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'];
const own = ['clipboard-write', 'fullscreen', 'publickey-credentials-create', 'publickey-credentials-get'];
const permissionsPolicy = [...[...none, ...noneEither].map((name) => `${name}=()`), ...own.map((name) => `${name}=(self)`)].join(
  ', ',
);

export async function securityHeaders(): Promise<Record<string, string>> {
  const probe = Fastify();
  await probe.register(helmet, {
    contentSecurityPolicy,
    crossOriginEmbedderPolicy: false,
    hsts: { maxAge: 31_536_000, includeSubDomains: false },
    referrerPolicy: { policy: 'same-origin' },
  });
  probe.get('/', async (_request, reply) => reply.send());
  const { headers } = await probe.inject('/');
  await probe.close();
  const ofTheAnswer = ['content-length', 'content-type', 'date', 'connection', 'keep-alive'];
  return {
    ...Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (ofTheAnswer.includes(name) ? [] : [[name, String(value)]])),
    ),
    'permissions-policy': permissionsPolicy,
  };
}

/** Stand in index.html for the nonce, and for the files of the page. */
const [placeholder, pagePlaceholder] = ['__nonce__', '__page__'];

export interface Page {
  html: string;
  headers: Record<string, string>;
}

/**
 * Makes the page for one request: its own nonce lets exactly its own style elements in, so that no cache may keep it. `files`: what the build lists by
 * the first segment of an address below /apps.
 */
export function pageWithNonce(
  template: string,
  headers: Record<string, string>,
  files: ReadonlyMap<string, readonly string[]> = new Map(),
): (path?: string) => Page {
  const parts = template.split(placeholder);
  const policy = (headers['content-security-policy'] ?? '').split("style-src 'self'");
  return (path = '') => {
    const nonce = randomBytes(16).toString('base64');
    const segment = /^\/apps\/([\w-]+)/i.exec(path)?.[1]?.toLowerCase() ?? '';
    return {
      html: parts.join(nonce).replace(pagePlaceholder, (files.get(segment) ?? []).join(' ')),
      headers: {
        'content-security-policy': policy.join(`style-src 'self' 'nonce-${nonce}'`),
        'reporting-endpoints': `csp="${cspReportPath}"`,
        'cache-control': 'no-store',
      },
    };
  };
}
