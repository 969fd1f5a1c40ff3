/** Routes of the server that are no calls of the contract. */

/** Routes outside the contract: self-guarded, or nothing to guard. */
export const openRoutes = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /api/v1/openapi.json',
  // Browser error reports: logged, bounded.
  'POST /api/v1/csp-report',
  'GET /assets/*',
  // Ingest: authorised by ingest key.
  'ANY /ingest/*',
  'ANY /services/collector/*',
  'ANY /v1/logs',
  // Model Context Protocol: authorised by API key.
  'GET /mcp',
  'POST /mcp',
  'DELETE /mcp',
  // The authorization server of assistants.
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/oauth-protected-resource',
  'GET /oauth/consents/:uid',
  'GET /.well-known/oauth-authorization-server',
  'GET /oauth/authorize',
  'GET /oauth/authorize/:uid',
  'POST /oauth/register',
  'POST /oauth/revoke',
  'POST /oauth/token',
  // TAXII: authorised by API key.
  'GET /taxii2/',
  'GET /taxii2/indicators/',
  'GET /taxii2/indicators/collections/',
  'GET /taxii2/indicators/collections/:id/',
  'GET /taxii2/indicators/collections/:id/objects/',
  'GET /taxii2/indicators/collections/:id/objects/:object/',
  'GET /taxii2/indicators/collections/:id/manifest/',
  // By the secret of the webhook source.
  'ANY /webhook/*',
  // Targets of deliveries: by their own signatures.
  'POST /callback/:address',
  // Agents: authorised by agent key; the install script holds no secret.
  'ANY /agent/*',
];
