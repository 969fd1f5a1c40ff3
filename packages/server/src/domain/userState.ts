/** Names and states of users, as SQL over a row of `users`. */
import { type RawBuilder, sql } from 'kysely';

/** True until the user has a way to sign in. */
export const isInvitedOf = (user: RawBuilder<unknown>) => sql<boolean>`not ${user}.is_deleted and ${user}.password_hash is null
  and not exists (select from user_identities i where i.user_id = ${user}.id)`;

export const displayNameOf = (user: RawBuilder<unknown>) => sql<string>`trim(${user}.first_name || ' ' || ${user}.last_name)`;
