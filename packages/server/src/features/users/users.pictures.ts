/**
 * Profile pictures: re-encoded, stored as profile-pictures/{userId}.png and read through an expiring signed address.
 * The address contains the picture’s version, so browsers may cache it and it ends with its picture.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { canEditPicture } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { redraw } from '../../core/pictures.ts';
import { recordAudit } from '../../domain/audit.ts';
import { findPictureVersion, findUser, updateUser } from './users.store.ts';

const maxBytes = 2 * 1024 * 1024;
const maxPixels = 1024 * 1024;
/** Addresses are stable for half a day and valid for 12 to 24 hours. */
const halfDaySeconds = 43_200;

/** Storage key of a user’s picture. */
export const pictureKey = (userId: number): string => `profile-pictures/${userId}.png`;

export type PictureAddresses = ReturnType<typeof createPictureAddresses>;

export function createPictureAddresses(key: Buffer, clock: Clock) {
  const signatureOf = (userId: number, version: string, until: number) =>
    createHmac('sha256', key).update(`${userId} ${version} ${until}`).digest();
  const nowSeconds = () => Math.floor(clock.now() / 1000);
  return {
    /** Path of the picture on this origin; empty when there is none. */
    urlOf(userId: number, version: string | null): string {
      if (version === null) return '';
      const until = (Math.floor(nowSeconds() / halfDaySeconds) + 2) * halfDaySeconds;
      const signature = signatureOf(userId, version, until).toString('base64url');
      return `/api/v1/profile-pictures/${userId}.png?until=${until}&signature=${signature}`;
    },
    /** Remaining validity of an address in seconds; 0 when invalid. */
    secondsLeft(userId: number, version: string, given: { until: string; signature: string }): number {
      const until = /^\d{1,12}$/.test(given.until) ? Number(given.until) : 0;
      const wanted = signatureOf(userId, version, until);
      const signature = Buffer.from(given.signature, 'base64url');
      const isRight = signature.length === wanted.length && timingSafeEqual(signature, wanted);
      return isRight ? Math.max(0, until - nowSeconds()) : 0;
    },
  };
}

export type Pictures = ReturnType<typeof createPictures>;

export function createPictures({ db, blobs, addresses }: { db: Database; blobs: Blobs; addresses: PictureAddresses }) {
  /** Throws forbidden unless the actor may change the user’s picture. */
  const mayChange = async (actor: Actor, id: number): Promise<void> => {
    const scope = scopeOf(actor);
    const user = await scoped(db, scope, (tx) => findUser(tx, scope, id), { readOnly: true });
    if (!user) throw problem.notFound('user', id);
    if (!canEditPicture(actor, user)) throw problem.forbidden('You don’t have permission to change this user’s picture.');
  };
  /** Re-checks the permission, which may have changed during encoding. */
  const setVersion = async (actor: Actor, id: number, version: string | null): Promise<void> => {
    const scope = scopeOf(actor);
    await scoped(db, scope, async (tx) => {
      const user = await findUser(tx, scope, id);
      if (!user || !canEditPicture(actor, user)) throw problem.notFound('user', id);
      await updateUser(tx, scope, id, { picture_version: version });
      await recordAudit(tx, actor, {
        action: version === null ? 'user.pictureRemoved' : 'user.pictureChanged',
        organisationId: user.organisationId,
        target: String(id),
      });
    });
  };

  return {
    async upload(actor: Actor, id: number, bytes: Buffer): Promise<{ profileURL: string }> {
      await mayChange(actor, id);
      const picture = await redraw(bytes, { maxBytes, maxPixels, isSquare: true });
      const version = createHash('sha256').update(picture).digest('hex').slice(0, 16);
      await blobs.put(pictureKey(id), picture, 'image/png');
      await setVersion(actor, id, version);
      return { profileURL: addresses.urlOf(id, version) };
    },

    async remove(actor: Actor, id: number): Promise<void> {
      await mayChange(actor, id);
      await setVersion(actor, id, null);
      await blobs.remove(pictureKey(id));
    },

    /** Invalid addresses, expired ones and missing pictures are indistinguishable to callers. */
    async read(file: string, given: { until: string; signature: string }): Promise<{ bytes: Buffer; maxAgeSeconds: number }> {
      const id = Number.parseInt(file, 10);
      const isId = `${id}.png` === file && id >= 1 && id <= maxId;
      const version = isId ? await scoped(db, 'system', (tx) => findPictureVersion(tx, id), { readOnly: true }) : undefined;
      const maxAgeSeconds = addresses.secondsLeft(id, version ?? '', given);
      const bytes = version && maxAgeSeconds > 0 ? await blobs.get(pictureKey(id)) : undefined;
      if (!bytes) throw problem.notFound('picture', file);
      return { bytes, maxAgeSeconds };
    },
  };
}
