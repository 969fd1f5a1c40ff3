/**
 * Recovery codes: ten single-use codes of 49 bits. Too short for a plain hash, so stored by scrypt with one salt per set (ASVS 6.5.2);
 * an attempt costs one scrypt.
 */
import { randomBytes, randomInt, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { recoveryCodesPerSet } from '@parapet/contract/secondFactor.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';

// Excludes look-alikes: i, l, o, u, 0, 1.
const letters = 'abcdefghjkmnpqrstvwxyz23456789';
const half = 5;

const derive = promisify(scrypt) as (code: string, salt: Buffer, length: number) => Promise<Buffer>;
const hashOf = (code: string, salt: Buffer) => derive(code, salt, 32);

const newCode = () => Array.from({ length: 2 * half }, () => letters[randomInt(letters.length)]).join('');
const formatted = (code: string) => `${code.slice(0, half)}-${code.slice(half)}`;
/** Strips spaces and hyphens and lower-cases a typed code. */
const normalised = (code: string) => code.replace(/[\s-]/g, '').toLowerCase();

export interface RecoveryCodes {
  codes: string[];
  salt: Buffer;
  hashes: Buffer[];
}

/** Generates a set of codes. Costs about half a second of CPU: call it before a transaction. */
export async function newRecoveryCodes(): Promise<RecoveryCodes> {
  const codes = Array.from({ length: recoveryCodesPerSet }, newCode);
  const salt = randomBytes(16);
  return { codes: codes.map(formatted), salt, hashes: await Promise.all(codes.map((code) => hashOf(code, salt))) };
}

export const removeRecoveryCodes = (tx: Tx, scope: Scope, userId: number) =>
  tx.deleteFrom('recovery_codes').where(within('organisation_id', scope)).where('user_id', '=', userId).execute();

/** Stores a set in place of the old one. */
export async function replaceRecoveryCodes(
  tx: Tx,
  scope: Scope,
  user: { id: number; organisationId: number },
  { salt, hashes }: RecoveryCodes,
): Promise<void> {
  await removeRecoveryCodes(tx, scope, user.id);
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ organisation_id: user.organisationId, user_id: user.id, code_hash, salt })))
    .execute();
}

const unusedCodes = (tx: Tx, scope: Scope, userId: number) =>
  tx
    .selectFrom('recovery_codes')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null);

export async function countRecoveryCodes(tx: Tx, scope: Scope, userId: number): Promise<number> {
  const { count } = await unusedCodes(tx, scope, userId)
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Consumes a code and returns the number left; undefined for a wrong or used one. */
export async function useRecoveryCode(tx: Tx, scope: Scope, userId: number, code: string): Promise<number | undefined> {
  const set = await unusedCodes(tx, scope, userId).select('salt').limit(1).executeTakeFirst();
  if (!set) return undefined;
  const used = await tx
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('code_hash', '=', await hashOf(normalised(code), set.salt))
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return used && countRecoveryCodes(tx, scope, userId);
}
