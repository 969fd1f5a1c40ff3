/** Requests to AWS, signed by Signature Version 4, and the session of an assumed role. */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { AwsClient } from 'aws4fetch';
import type { Http } from './connector.ts';
import { RefusedError, UnavailableError } from './errors.ts';
import { createRenewable, type Renewable } from './renewable.ts';
import { requestBytes } from './requests.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface AwsRequest {
  service: 'sts' | 'sqs' | 's3';
  region: string;
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

const vendor = 'AWS';
const expiryMarginMs = 5 * 60_000;

/** Signs a request and reads its answer. */
export async function requestAws(
  http: Http,
  credentials: Credentials,
  { service, region, url, method = 'GET', headers = {}, body }: AwsRequest,
): Promise<Buffer> {
  const client = new AwsClient({ ...credentials, service, region });
  const signed = await client.sign(url, { method, headers, ...(body !== undefined && { body }) });
  const init = { method, headers: Object.fromEntries(signed.headers), ...(body !== undefined && { body }) };
  return (await requestBytes(http, vendor, signed.url, init)).bytes;
}

const textIn = (xml: string, tag: string): string | undefined => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];

interface Role {
  arn: string;
  externalId: string;
  endpoint: string;
  region: string;
}

/** Credentials of a role, renewed before they expire. Source: AWS STS API reference, "AssumeRole". */
export function createRoleSession(http: Http, clock: Clock, own: Credentials, role: Role): Renewable<Credentials> {
  return createRenewable(clock, async () => {
    const body = new URLSearchParams({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: role.arn,
      RoleSessionName: 'portal',
      ExternalId: role.externalId,
    }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const request = { service: 'sts', region: role.region, url: role.endpoint, method: 'POST', headers, body } as const;
    const xml = (await requestAws(http, own, request)).toString('utf8', 0, 64 * 1024);
    if (!/<\/AssumeRoleResponse>\s*$/.test(xml)) throw new UnavailableError('AWS returned something that can’t be read.');
    const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((tag) =>
      textIn(xml, tag),
    );
    if (!accessKeyId || !secretAccessKey || !sessionToken) throw new RefusedError('AWS returned no credentials for the role.');
    const expiresAt = Date.parse(textIn(xml, 'Expiration') ?? '');
    const credential: Credentials = { accessKeyId, secretAccessKey, sessionToken };
    return { credential, until: (Number.isNaN(expiresAt) ? clock.now() + hourMs : expiresAt) - expiryMarginMs };
  });
}
