/** Secrets of targets, sealed for their organisation and row. A rotated signing secret stays valid for a while beside its successor. */
import { randomBytes } from 'node:crypto';
import { callbackSecret } from '@parapet/connectors/out/callbacks.ts';
import type { TargetKind } from '@parapet/connectors/out/target.ts';
import { secretPrefix } from '@parapet/connectors/out/webhook.ts';
import { rotationHours } from '@parapet/contract/rules/deliveries.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Keys } from '../../core/keys/keys.ts';
import { createVaultOf, type Values } from '../../domain/vault.ts';

/** Place among the settings of the time until which the rotated secret is valid. */
export const previousUntil = 'previousUntil';

const placeOf = (organisationId: number, id: number) => ({ organisationId, column: 'delivery_targets.secrets', id }) as const;

export const createVault = (db: Database, keys: Pick<Keys, 'seal' | 'open'>) => createVaultOf(placeOf, db, keys);

const pushPlaceOf = (organisationId: number, id: number) =>
  ({ organisationId, column: 'push_subscriptions.subscription', id }) as const;

/** Of browsers with notifications. */
export const createPushVault = (db: Database, keys: Pick<Keys, 'seal' | 'open'>) => createVaultOf(pushPlaceOf, db, keys);

export type Vault = ReturnType<typeof createVault>;

/** 24 random bytes, as Standard Webhooks recommends. */
const newSecret = (): string => `${secretPrefix}${randomBytes(24).toString('base64')}`;

interface Rotated {
  secret: string;
  secrets: Values;
  settings: Values;
}

/** Generated secret of a kind, with its predecessor; undefined for kinds without one. */
export function rotated({ generated }: TargetKind, before: Values, now: number): Rotated | undefined {
  if (generated === undefined) return undefined;
  const secret = newSecret();
  const previous = before[generated];
  return {
    secret,
    secrets: { [generated]: secret, ...(previous && { [`${generated}.previous`]: previous }) },
    settings: previous ? { [previousUntil]: new Date(now + rotationHours * hourMs).toISOString() } : {},
  };
}

/** Secret of the requests of a target; it outlives the other secrets. */
export const callbackSecretIn = ({ [callbackSecret]: secret }: Values): Values => (secret ? { [callbackSecret]: secret } : {});

/** All values for sending, without a rotated secret whose time is over. */
export function validValues({ generated }: TargetKind, settings: Values, secrets: Values, now: number): Values {
  const { [previousUntil]: until, ...values } = { ...settings, ...secrets };
  if (generated !== undefined && (until === undefined || Date.parse(until) <= now)) delete values[`${generated}.previous`];
  return values;
}
