/** OpenAPI 3.1 document, generated from the contract. Run as a program, prints only the document. */
import { endpoints } from '@parapet/contract/api.ts';
import { deliveryData, webhookBody } from '@parapet/contract/deliveryEvents.ts';
import { type Endpoint, nothing } from '@parapet/contract/endpoint.ts';
import { problemBody, statusOf } from '@parapet/contract/problem.ts';
import { eventLabel } from '@parapet/contract/rules/deliveries.ts';
import { z } from 'zod';

type JsonSchema = Record<string, unknown> & { properties?: Record<string, JsonSchema>; required?: string[] };

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' }) as JsonSchema;
  return rest;
};

export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.prefix + endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Security operations portal',
      version: '1',
      description: 'Managed detection and response: the calls of the portal.',
    },
    servers: [{ url: '/' }],
    paths,
    webhooks: webhooksOf(),
    components: {
      schemas: { Problem: schemaOf(problemBody, 'output') },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

/** Events as webhooks carry them, signed by Standard Webhooks. */
function webhooksOf(): Record<string, object> {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  const parameters = [
    header('webhook-id', 'Id of the delivery, the same on every attempt.'),
    header('webhook-timestamp', 'Time of the attempt in seconds since 1970.'),
    header('webhook-signature', 'v1 and the HMAC-SHA256 of id, timestamp and body in Base64; several during a rotation.'),
  ];
  const responses = { '2XX': { description: 'Accepted. Anything else is repeated for up to 72 hours.' } };
  const events = Object.keys(deliveryData) as (keyof typeof deliveryData)[];
  const operation = (event: (typeof events)[number]) => ({
    operationId: `webhook.${event}`,
    summary: `${eventLabel(event)}.`,
    tags: ['webhooks'],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(webhookBody(event), 'output') } } },
    responses,
  });
  return Object.fromEntries(events.map((event) => [event, { post: operation(event) }]));
}

function operationOf(endpoint: Endpoint): object {
  const failures = (Object.entries(statusOf) as [string, number][])
    .filter(([code]) => endpoint.allow !== 'anyone' || !['signInNeeded', 'forbidden'].includes(code))
    .map(([code, status]) => [
      String(status),
      { description: code, content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } },
    ]);
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: `Allowed: ${endpoint.allow}.`,
    tags: [endpoint.id.split('.')[0]],
    security: endpoint.allow === 'anyone' ? [] : [{ bearer: [] }],
    parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')],
    ...(endpoint.method !== 'GET' &&
      endpoint.body !== nothing && {
        requestBody: { required: true, content: requestContent(endpoint) },
      }),
    responses: {
      ...successOf(endpoint),
      ...Object.fromEntries(failures),
    },
  };
}

const aFile = { type: 'string', format: 'binary' };

const requestContent = ({ upload, body }: Endpoint): object =>
  upload
    ? Object.fromEntries(upload.types.map((type) => [type, { schema: aFile }]))
    : { 'application/json': { schema: schemaOf(body, 'input') } };

function successOf({ answers, answer }: Endpoint): object {
  if (answers === 'redirect') return { 302: { description: 'The browser goes on elsewhere.' } };
  if (answers === 'file') return { 200: { description: 'The file.', content: { '*/*': { schema: aFile } } } };
  const type = answers === 'events' ? 'text/event-stream' : 'application/json';
  return { 200: { description: 'Done.', content: { [type]: { schema: schemaOf(answer, 'output') } } } };
}

function parametersOf(schema: z.ZodType, place: 'path' | 'query'): object[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input');
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: property,
  }));
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(openApiDocument(), null, 2)}\n`);
