/** Records of the authorization server in the database. Ids are tokens, so only their hash is stored. */
import { sql } from 'kysely';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { storableJson } from '../../domain/audit.ts';

/** Registered clients at the most; those without a live token are removed after an hour. */
export const maxClients = 1_000;

const live = sql<boolean>`(expires_at is null or expires_at > now())`;
/** Access that was revoked finds none of its records: refresh tokens and codes end with it, whatever revoked it. */
const isGranted = sql<boolean>`not exists (select from assistant_grants g where g.grant_id = oauth_records.grant_id and g.revoked_at is not null)`;

/** `usedUp` makes the error of a second use. */
export const createAdapter = (db: Database, usedUp: () => Error) =>
  class implements Adapter {
    readonly #model: string;
    constructor(model: string) {
      this.#model = model;
    }

    #run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      return scoped(db, 'system', work);
    }

    #find(where: { key: Buffer } | { uid: string }): Promise<AdapterPayload | undefined> {
      return this.#run(async (tx) => {
        const query = tx
          .selectFrom('oauth_records')
          .select(['payload', 'consumed_at'])
          .where('model', '=', this.#model)
          .where(live)
          .where(isGranted);
        const row = await ('key' in where
          ? query.where('key', '=', where.key)
          : query.where('uid', '=', where.uid)
        ).executeTakeFirst();
        if (!row) return undefined;
        return { ...row.payload, ...(row.consumed_at && { consumed: Math.floor(row.consumed_at.getTime() / 1000) }) };
      });
    }

    async upsert(id: string, { jti: _, ...payload }: AdapterPayload, expiresIn?: number): Promise<void> {
      const row = {
        payload: storableJson(payload),
        uid: payload.uid ?? null,
        grant_id: payload.grantId ?? (this.#model === 'Grant' ? id : null),
        expires_at: expiresIn ? sql<Date>`now() + make_interval(secs => ${expiresIn})` : null,
      };
      await this.#run((tx) =>
        tx
          .insertInto('oauth_records')
          .values({ model: this.#model, key: hashOfToken(id), ...row })
          .onConflict((conflict) => conflict.columns(['model', 'key']).doUpdateSet(row))
          .execute(),
      );
    }

    async find(id: string): Promise<AdapterPayload | undefined> {
      const payload = await this.#find({ key: hashOfToken(id) });
      return payload && { ...payload, jti: id };
    }

    /** Only sessions have one. Their id is not needed: they are found to be compared. */
    findByUid(uid: string): Promise<AdapterPayload | undefined> {
      return this.#find({ uid });
    }

    findByUserCode(): Promise<undefined> {
      return Promise.resolve(undefined);
    }

    /** Of two uses at once, the second one throws. */
    async consume(id: string): Promise<void> {
      const { numUpdatedRows } = await this.#run((tx) =>
        tx
          .updateTable('oauth_records')
          .set({ consumed_at: sql<Date>`now()` })
          .where('model', '=', this.#model)
          .where('key', '=', hashOfToken(id))
          .where('consumed_at', 'is', null)
          .executeTakeFirst(),
      );
      if (numUpdatedRows === 0n) throw usedUp();
    }

    async destroy(id: string): Promise<void> {
      await this.#run((tx) =>
        tx.deleteFrom('oauth_records').where('model', '=', this.#model).where('key', '=', hashOfToken(id)).execute(),
      );
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      await this.#run((tx) =>
        tx.deleteFrom('oauth_records').where('model', '=', this.#model).where('grant_id', '=', grantId).execute(),
      );
    }
  };
