/** Key pair by which push services recognise the portal (VAPID, RFC 8292). */
import { createECDH } from 'node:crypto';
import type { Keys } from '../../core/keys/keys.ts';

/** Order of the group of P-256 (SP 800-186). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

/** The installation's key pair, from a secret that is made once and sealed: the same for all its processes. */
export async function openPushKeys({ shared }: Pick<Keys, 'shared'>): Promise<PushKeys> {
  const secret = await shared('browser notifications');
  const scalar = (BigInt(`0x${secret.toString('hex')}`) % (order - 1n)) + 1n;
  const privateKey = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(privateKey);
  return { publicKey: curve.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
}
