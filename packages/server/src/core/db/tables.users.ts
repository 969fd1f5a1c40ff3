/** People, and every way in. */
import type { KeyScope } from '@parapet/contract/access.ts';
import type { AssistantScope } from '@parapet/contract/assistants.ts';
import type { UserData } from '@parapet/contract/auth.ts';
import type { ViewList } from '@parapet/contract/views.ts';
import type { ColumnType, Generated } from 'kysely';
import type { Json, Time, TimeDefault } from './columns.ts';

type ProofTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

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
    /** After a reset: the next sign-in enrols an authenticator app. */
    is_mfa_enrolment_due: Generated<boolean>;
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
    kind: Generated<'signIn' | 'enrolment'>;
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
  recovery_codes: {
    organisation_id: number;
    user_id: number;
    code_hash: Buffer;
    /** Shared by the codes of one set. */
    salt: Buffer;
    created_at: TimeDefault;
    used_at: Time | null;
  };
  passkeys: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    /** The brand host that it belongs to. */
    rp_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    transports: string[];
    name: string;
    created_at: TimeDefault;
    last_used_at: Time | null;
  };
  passkey_challenges: {
    challenge_hash: Buffer;
    organisation_id: number;
    user_id: number;
    purpose: 'register' | 'prove';
    /** Hash of the session's id, or of the sign-in's nonce. */
    bound_to: Buffer;
    rp_id: string;
    origin: string;
    expires_at: Time;
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
    session_id: ColumnType<string | null, string | null | undefined, never>;
  };
  sign_on_codes: {
    code_hash: Buffer;
    organisation_id: number;
    user_id: number;
    browser_hash: Buffer;
    expires_at: Time;
    used_at: Time | null;
    proven_at: ProofTime;
    second_factor_at: ProofTime;
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
    proven_at: ProofTime;
    second_factor_at: ProofTime;
  };
  assistant_grants: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    grant_id: string;
    client: string;
    redirect_host: string;
    scopes: AssistantScope[];
    created_at: TimeDefault;
    last_used_at: Time | null;
    revoked_at: Time | null;
  };
  oauth_records: {
    model: string;
    key: Buffer;
    payload: Json<Record<string, unknown>>;
    uid: string | null;
    grant_id: string | null;
    expires_at: Time | null;
    consumed_at: Time | null;
    created_at: TimeDefault;
  };
  api_keys: {
    id: Generated<number>;
    organisation_id: number;
    user_id: number;
    name: string;
    prefix: string;
    hash: Buffer;
    scopes: KeyScope[];
    address_ranges: Generated<string[]>;
    created_at: TimeDefault;
    expires_at: Time;
    last_used_at: Time | null;
    revoked_at: Time | null;
    is_scopes_notice_due: Generated<boolean>;
    expiry_notice_at: Time | null;
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
    is_shared_below: Generated<boolean>;
    created_at: TimeDefault;
  };
}
