/** Shared parts of the connectors of Microsoft's interfaces: the application in the client's tenant and its tokens. */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { Consent, Field, Http, Permission, Values } from './connector.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { hostPattern, originOf } from './values.ts';

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const idFault = 'Enter the ID as it stands on the app registration, such as 00000000-0000-0000-0000-000000000000.';

/** The application in the client's tenant, and the address at which it signs in. */
export const applicationFields: readonly Field[] = [
  {
    name: 'tenant',
    label: 'Tenant ID',
    hint: 'Directory (tenant) ID of the app registration',
    isSecret: false,
    pattern: guid,
    fault: idFault,
  },
  {
    name: 'client',
    label: 'Application ID',
    hint: 'Application (client) ID of the app registration',
    isSecret: false,
    pattern: guid,
    fault: idFault,
  },
  {
    name: 'secret',
    label: 'Client secret',
    hint: 'The value of the secret, not its ID',
    isSecret: true,
    pattern: /^\S{16,200}$/,
    fault: 'Enter the value of the secret, without spaces.',
  },
  {
    name: 'login',
    label: 'Sign-in address',
    hint: 'login.microsoftonline.us for US government clouds',
    initial: 'login.microsoftonline.com',
    isSecret: false,
    pattern: hostPattern,
    fault: 'Enter a host name, such as login.microsoftonline.com.',
  },
];

/**
 * @param api host of the interface, such as graph.microsoft.com
 * @param government the one in US government clouds
 */
export const microsoftFields = (api: string, government: string): readonly Field[] => [
  ...applicationFields,
  {
    name: 'api',
    label: 'API address',
    hint: `${government} for US government clouds`,
    initial: api,
    isSecret: false,
    pattern: hostPattern,
    fault: `Enter a host name, such as ${api}.`,
  },
];

/** Instructions up to the permissions, which differ. */
export const microsoftSteps = (permissions: string): readonly string[] => [
  'In the Microsoft Entra admin center, open App registrations, select New registration and name it after the portal. No redirect address is needed.',
  `Under API permissions add ${permissions} as application permissions, then select Grant admin consent.`,
  'Under Certificates & secrets create a client secret and copy its value. It stops working on its expiry date.',
  'Copy the application ID, the tenant ID and the value of the secret into the form.',
];

/** Sign-in of the US government clouds; their interfaces have other hosts. */
const governmentLogin = /\.us(?::\d+)?\/?$/i;

/** @param api as of `microsoftFields` */
export function microsoftConsent(api: string, government: string, permissions: readonly Permission[]): Consent {
  const apiAt = (login: string) => (governmentLogin.test(login) ? government : api);
  return {
    permissions,
    scopeOf: (login) => `${originOf(apiAt(login))}/.default`,
    valuesOf: (tenant, { clientId, secret, login }) => ({ tenant, client: clientId, secret, login, api: apiAt(login) }),
  };
}

export function microsoftTokens(
  http: Http,
  clock: Clock,
  { tenant = '', client = '', secret = '', login = '', api = '' }: Values,
): Tokens {
  return createTokens(http, clock, 'Microsoft', `${originOf(login)}/${tenant}/oauth2/v2.0/token`, async () => ({
    client_id: client,
    client_secret: secret,
    grant_type: 'client_credentials',
    scope: `${originOf(api)}/.default`,
  }));
}
