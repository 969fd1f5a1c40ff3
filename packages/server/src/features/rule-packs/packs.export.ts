/** Signed archives of rules, in the layout that an import reads. */

import { zipSync } from 'fflate';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { SigningKey } from '../../core/keys/signing.ts';
import type { Detector } from '../../pipeline/detector.ts';
import type { PackFile } from './packs.files.ts';
import { type Manifest, signed } from './packs.manifest.ts';

const fileOf = (path: string, yaml: string): PackFile => ({ path, bytes: Buffer.from(yaml) });

/** Newest texts of a pack, of the product (`builtin`) or of own rules that are part of no pack (`own`). */
export async function rulesOfPack(
  tx: Tx,
  scope: Scope,
  { builtIn }: Pick<Detector, 'builtIn'>,
  pack: string,
): Promise<PackFile[]> {
  if (pack === 'builtin') return [...builtIn.texts].map(([key, yaml]) => fileOf(`rules/${safe(key)}.yml`, yaml));
  const isOwn = pack === 'own';
  const { rows } = await sql<{ key: string; path: string | null; yaml: string }>`
    select distinct on (v.rule_key) v.rule_key as key, r.path, v.yaml from rule_versions v
    left join rule_pack_rules r on r.rule_key = v.rule_key and r.organisation_id = v.organisation_id
    where ${within('v.organisation_id', scope)} and v.state <> 'retired'
      and (${isOwn ? sql`r.rule_key is null and v.base is null` : sql`r.pack_id = ${Number(pack)}`})
    order by v.rule_key, v.version desc`.execute(tx);
  const used = new Set<string>();
  return rows.map(({ key, path, yaml }) => {
    const wanted = path !== null && !path.includes('#') ? path : `rules/${safe(key)}.yml`;
    const name = used.has(wanted) ? `rules/${safe(key)}.yml` : wanted;
    used.add(name);
    return fileOf(name, yaml);
  });
}

const safe = (key: string): string => key.replace(/[^\w.-]/g, '_');

export const packArchive = (
  rules: readonly PackFile[],
  about: Pick<Manifest, 'name' | 'version' | 'publisher'>,
  key: SigningKey,
): Buffer =>
  Buffer.from(zipSync(Object.fromEntries(signed(rules, about, key).map(({ path, bytes }) => [path, bytes])), { level: 6 }));
