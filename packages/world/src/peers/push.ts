/**
 * Simulated push service, from RFC 8030 (delivery), RFC 8291 (encryption) and RFC 8292 (the sender's signature): a message to a known address returns 201
 * with its own address, one to an address that ended 410, one to any other 404. With it the side of the browser: its keys, and the text of a message.
 */
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import { type Peer, plain, servePeer } from './peer.ts';

/** A browser's subscription, as the Push API hands it out. */
export interface BrowserSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
}

export interface SimulatedBrowser extends BrowserSubscription {
  /** Text of a message, decrypted with the keys of this browser alone. Throws for a message to any other. */
  read(body: Buffer): string;
}

export interface PushService extends Peer {
  /** @param publicKey of the sender: messages of any other are refused; absent: of anyone */
  subscribe(publicKey?: string): SimulatedBrowser;
  /** Ends a subscription, as a person does who takes the permission back. */
  end(endpoint: string): void;
}

const tagLength = 16;
const derived = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));

/** Decrypts the content coding aes128gcm (RFC 8188) of a message of one record, with its keys by RFC 8291. */
export function decryptPush(body: Buffer, own: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const record = body.subarray(21 + keyLength);
  const label = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
  const input = derived(own.computeSecret(sender), auth, label, 32);
  const key = derived(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-tagLength));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -tagLength)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0))
    throw new Error('The record has no delimiter of a last one.');
  return padded.subarray(0, end).toString();
}

/** Reason against the signature of a sender; undefined for a valid one. */
export function vapidFault(authorization: string, audience: string, now: number, publicKey?: string): string | undefined {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65 || (publicKey !== undefined && key !== publicKey)) return 'The key is not that of the subscription.';
  const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
  const proven = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!proven) return 'The signature is not valid.';
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  if (aud !== audience) return 'The audience is another one.';
  if (typeof exp !== 'number' || exp * 1_000 <= now || exp * 1_000 > now + 24 * 3_600_000) return 'The expiry is out of bounds.';
  return /^(mailto:|https:)/.test(String(sub)) ? undefined : 'The subject is no contact.';
}

const maxBody = 4_096;

/** Starts a simulated push service. Received bodies are listed as base64. */
export async function startPush(port?: number): Promise<PushService> {
  const subscriptions = new Map<string, { publicKey: string | undefined; isOver: boolean }>();
  let count = 0;
  const peer = await servePeer(
    'browser',
    port,
    ({ method, url, headers, bytes }) => {
      const subscription = subscriptions.get(url.pathname);
      if (method !== 'POST' || !subscription) return plain(404, 'No such subscription');
      if (subscription.isOver) return plain(410, 'Gone');
      const fault = vapidFault(String(headers.authorization), url.origin, Date.now(), subscription.publicKey);
      if (fault) return plain(403, fault);
      if (!/^\d+$/.test(String(headers.ttl))) return plain(400, 'TTL is missing');
      if (headers['content-encoding'] !== 'aes128gcm') return plain(400, 'Unsupported content coding');
      if (bytes.length > maxBody) return plain(413, 'Payload Too Large');
      return { status: 201, headers: { location: `${url.origin}/message/${++count}` }, body: '' };
    },
    () => ({ people: 'all' }),
    ({ bytes }) => bytes.toString('base64'),
  );
  return {
    ...peer,
    subscribe(publicKey) {
      const path = `/push/${randomBytes(24).toString('base64url')}`;
      subscriptions.set(path, { publicKey, isOver: false });
      const own = createECDH('prime256v1');
      own.generateKeys();
      const auth = randomBytes(16);
      return {
        endpoint: `${peer.url}${path}`,
        p256dh: own.getPublicKey('base64url'),
        auth: auth.toString('base64url'),
        read: (body) => decryptPush(body, own, auth),
      };
    },
    end(endpoint) {
      const subscription = subscriptions.get(new URL(endpoint).pathname);
      if (subscription) subscription.isOver = true;
    },
  };
}
