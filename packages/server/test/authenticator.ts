/** Software passkey authenticator: ES256, attestation "none", a counter that rises with each use. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const presentAndVerified = 0b101;
const withCredential = 0b1000000;

export function softwareAuthenticator(origin: string, rpId = new URL(origin).hostname) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string };
  const id = randomBytes(32);
  let counter = 0;
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const dataOf = (flags: number, ...more: Buffer[]) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, ...more]);
  };
  const named = { id: base64Url(id), rawId: base64Url(id), type: 'public-key' as const, clientExtensionResults: {} };
  return {
    id: named.id,
    /** Implements `navigator.credentials.create`. */
    create({ challenge }: { challenge: string }) {
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array<ArrayBuffer>>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
          [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
        ]),
      );
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = dataOf(presentAndVerified | withCredential, Buffer.alloc(16), length, id, Buffer.from(key));
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(data)],
        ]) as never,
      );
      return {
        ...named,
        response: {
          clientDataJSON: base64Url(clientData('webauthn.create', challenge)),
          attestationObject: base64Url(attestation),
          transports: ['internal'],
        },
      };
    },
    /** Implements `navigator.credentials.get`; `uses` is the counter increment. */
    get({ challenge }: { challenge: string }, uses = 1) {
      counter += uses;
      const data = dataOf(presentAndVerified);
      const client = clientData('webauthn.get', challenge);
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return {
        ...named,
        response: { clientDataJSON: base64Url(client), authenticatorData: base64Url(data), signature: base64Url(signature) },
      };
    },
  };
}
