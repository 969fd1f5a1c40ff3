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

/** The time step of a code, this one or the one before; undefined for a wrong code. */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / 1000 / stepSeconds);
  const generator = generatorOf(secret);
  return [now, now - 1].find((step) => isSame(generator.generate({ timestamp: step * stepSeconds * 1000 }), code));
}

/** The secret as an SVG image, named as the app will show it. */
export function drawSecret(secret: string, brandName: string, email: string): Promise<string> {
  // A QR code holds less than 2 kB, and the name stands in it twice.
  const issuer = [...brandName].slice(0, 60).join('');
  const address = new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret) }).toString();
  return drawQr(address, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 });
}
