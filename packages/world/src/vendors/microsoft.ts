/** Shared parts of Microsoft's simulated interfaces: the tenant, its application and access tokens of an hour. */
import type { VendorAnswer, VendorRequest, VendorState } from './vendor.ts';

export const tenant = '7c1d5e90-4b5f-4a0e-9d52-0d5f0a6b1c10';
export const client = '2f6a8c14-7f0b-4a4d-8d0a-5e1c9b3d7f21';
const secret = 'demo~Secret.Of.The.Demo.Application.0001';

/** Access tokens that the simulated sign-in of this process issued for tenants that consented, by token; every simulated interface accepts them. */
export const consentedTokens = new Map<string, string>();

export const microsoftValues = (url: string) => ({ tenant, client, secret, login: url, api: url });

export const microsoftError = (status: number, code: string, message: string): VendorAnswer => ({
  status,
  body: { error: { code, message } },
});

/** The answer of the token endpoint, or to a request without a valid token; undefined for a valid request. */
export function checkToken(state: VendorState, { method, url, headers, body }: VendorRequest): VendorAnswer | undefined {
  const token = `demo.token.${state.session}`;
  if (url.pathname === `/${tenant}/oauth2/v2.0/token`) {
    const form = new URLSearchParams(body);
    const isValid = form.get('client_id') === client && form.get('client_secret') === secret && method === 'POST';
    if (!state.isRefused && isValid && form.get('grant_type') === 'client_credentials')
      return { body: { token_type: 'Bearer', expires_in: 3_599, ext_expires_in: 3_599, access_token: token } };
    const description = 'AADSTS7000215: Invalid client secret provided. Trace ID: 00000000-0000-0000-0000-000000000000';
    return { status: 401, body: { error: 'invalid_client', error_description: description, error_codes: [7_000_215] } };
  }
  if (headers.authorization === `Bearer ${token}`) return undefined;
  if (!state.isRefused && consentedTokens.has(headers.authorization?.replace('Bearer ', '') ?? '')) return undefined;
  return microsoftError(401, 'InvalidAuthenticationToken', 'Access token has expired or is not yet valid.');
}
