import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig, roles } from '../src/core/config.ts';

const fileOf = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

interface Service {
  environment: Record<string, string>;
  depends_on?: string[];
}

test('the compose file starts each role with settings that the portal accepts and documents', async () => {
  const { services, secrets } = parse(await fileOf('compose.scale.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    secrets: object;
  };
  const settings = await fileOf('operating.md');
  for (const role of roles) {
    const { environment, depends_on = [] } = services[role]!;
    expect(readConfig(environment)).toMatchObject({ roles: [role], isDemo: false, clickHouse: { cluster: undefined } });
    for (const name of Object.keys(environment)) expect(settings).toContain(`\`${name}\``);
    for (const name of depends_on) expect(Object.keys(services)).toContain(name);
    for (const url of [environment.DATABASE_URL!, environment.CLICKHOUSE_URL!])
      expect(Object.keys(services)).toContain(new URL(url).hostname);
  }
  expect(services.pgbouncer!.environment.PGBOUNCER_POOL_MODE).toBe('session');
  expect(Object.keys(secrets)).toEqual(['portal-key']);
});
