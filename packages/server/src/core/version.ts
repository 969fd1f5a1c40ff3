/** Version of the portal, from the package at the root of the repository. */
import { readFileSync } from 'node:fs';

export const portalVersion: string = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
).version;
