/** Codes of an authenticator app: six digits, a new one every 30 seconds. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { toString as drawQr } from 'qrcode';

const stepSeconds = 30;

const generatorOf = (secret: string) =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period: stepSeconds, secret: Secret.fromBase32(secret) });

const isSame = (a: string, b: string) =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** Time step of a code, the current or the previous one; undefined for a wrong code. */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / 1000 / stepSeconds);
  const generator = generatorOf(secret);
  return [now, now - 1].find((step) => isSame(generator.generate({ timestamp: step * stepSeconds * 1000 }), code));
}

/** QR code of the secret as SVG, labelled for the authenticator app. */
export function drawSecret(secret: string, brandName: string, email: string): Promise<string> {
  // A QR code holds less than 2 kB and contains the name twice.
  const issuer = [...brandName].slice(0, 60).join('');
  const address = new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret) }).toString();
  return drawQr(address, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 });
}
