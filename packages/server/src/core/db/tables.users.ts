/** People, and every way in. */
import type { UserData } from '@parapet/contract/auth.ts';
import type { ViewList } from '@parapet/contract/views.ts';
import type { ColumnType, Generated } from 'kysely';
import type { Time, TimeDefault } from './columns.ts';

export interface UserTables {
  users: {
    id: Generated<number>;
    organisation_id: number;
    email: string;
    first_name: string;
    last_name: string;
    role: string;
    phone_number: Generated<string>;
    password_hash: string | null;
    is_mfa_required: Generated<boolean>;
    is_mfa_set: Generated<boolean>;
    /** Sealed. */
    mfa_secret: Buffer | null;
    mfa_last_step: number | null;
    data: ColumnType<UserData, string | undefined, string>;
    is_deleted: Generated<boolean>;
    deleted_at: Time | null;
    created_at: TimeDefault;
    last_sign_in_at: Time | null;
    password_changed_at: Time | null;
    picture_version: string | null;
  };
  mfa_challenges: {
    nonce_hash: Buffer;
    organisation_id: number;
    user_id: number;
    password_hash: Buffer;
    /** Sealed; only while an authenticator app is set up. */
    new_secret: Buffer | null;
    tries: Generated<number>;
    created_at: TimeDefault;
    expires_at: Time;
    used_at: Time | null;
  };
  attempts: { kind: string; key: Buffer; at: TimeDefault };
  one_time_links: {
    token_hash: Buffer;
    organisation_id: number;
    user_id: number;
    kind: 'reset' | 'invitation' | 'register';
    created_at: TimeDefault;
    expires_at: Time;
    used_at: Time | null;
  };
  sign_on_starts: {
    state_hash: Buffer;
    organisation_id: number | null;
    browser_hash: Buffer;
    nonce: string;
    verifier: string;
    redirect_path: Generated<string>;
    expires_at: Time;
  };
  sign_on_codes: {
    code_hash: Buffer;
    organisation_id: number;
    user_id: number;
    browser_hash: Buffer;
    expires_at: Time;
    used_at: Time | null;
  };
  user_identities: { issuer: string; subject: string; organisation_id: number; user_id: number; created_at: TimeDefault };
  sessions: {
    id: string;
    organisation_id: number;
    user_id: number;
    created_at: TimeDefault;
    last_seen_at: TimeDefault;
    expires_at: Time;
    revoked_at: Time | null;
    address: Generated<string>;
    user_agent: Generated<string>;
    signed_in_at: TimeDefault;
    method: Generated<'password' | 'mfa' | 'singleSignOn'>;
  };
  api_keys: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    name: string;
    prefix: string;
    hash: Buffer;
    access: 'read' | 'readWrite';
    created_at: TimeDefault;
    expires_at: Time;
    last_used_at: Time | null;
    revoked_at: Time | null;
  };
  saved_views: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    list: ViewList;
    name: string;
    query: string;
    columns: string[];
    is_shared: Generated<boolean>;
    created_at: TimeDefault;
  };
}
