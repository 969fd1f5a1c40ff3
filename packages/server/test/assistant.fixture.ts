/** An assistant that connects by OAuth: the official client's own flow, with its state in memory. */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const callback = 'http://127.0.0.1:33418/callback';

let assistants = 0;

/** Comes from an address of its own to servers that trust a proxy. */
export function createAssistant(url: string, { name = 'Assistant', scope = 'read propose' } = {}) {
  const address = `198.51.100.${(++assistants % 250) + 1}`;
  const fetchFn = (to: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('x-forwarded-for', address);
    return fetch(to, { ...init, headers });
  };
  let client: StoredOAuthClientInformation | undefined;
  let tokens: StoredOAuthTokens | undefined;
  let discovered: OAuthDiscoveryState | undefined;
  let verifier = '';
  let leadsTo: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: {
      client_name: name,
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      scope,
    } as OAuthClientProvider['clientMetadata'],
    clientInformation: () => client,
    saveClientInformation: (given) => {
      client = given;
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization: (address) => {
      leadsTo = address;
    },
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (given) => {
      discovered = given;
    },
    discoveryState: () => discovered,
  };
  return {
    provider,
    tokens: () => tokens,
    client: () => client,
    verifier: () => verifier,
    /** Discovers, registers and returns the address for the person's browser. */
    async start(): Promise<URL> {
      leadsTo = undefined;
      tokens = undefined;
      await auth(provider, { serverUrl: url, scope, fetchFn });
      if (!leadsTo) throw new Error('The client did not lead to the authorization server.');
      return leadsTo;
    },
    /** Exchanges the code of the callback. */
    finish: (code: string, iss?: string) =>
      auth(provider, { serverUrl: url, fetchFn, authorizationCode: code, ...(iss && { iss }) }),
    async connect(): Promise<Client> {
      const assistant = new Client({ name: 'test', version: '1.0.0' });
      await assistant.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider: provider }));
      return assistant;
    },
  };
}
