/**
 * The brand of a host (spec §1, decision 25): its first label, looked up in a table. Unknown labels, www, the portal's own and local hosts
 * get the default brand.
 */
import type { Brand } from '@parapet/contract/brand.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';

export type BrandService = ReturnType<typeof createBrandService>;

const label = /^[a-z0-9-]{1,63}$/;

export const defaultBrand: Omit<Brand, 'demo'> = {
  name: 'Parapet',
  description: 'Managed detection and response: what was found, how it was judged and what was done.',
  logoURL: '',
  logo2URL: '',
  contact: 'mailto:soc@parapet.example',
  helpURL: '',
  websiteURL: '',
};

/** The first sub-domain label, or undefined for an address, a bare host or a label that no brand can have. */
export function subDomainOf(host: string): string | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (/^[\d.]+$/.test(name) || name.startsWith('[')) return undefined;
  const labels = name.split('.');
  const [first] = labels;
  return labels.length > 1 && first && label.test(first) ? first : undefined;
}

export function createBrandService({ db, demo }: { db: Database; demo: Brand['demo'] }) {
  return {
    async ofHost(host: string): Promise<Brand> {
      const subDomain = subDomainOf(host);
      const row =
        subDomain &&
        (await scoped(db, 'system', (tx) =>
          tx
            .selectFrom('brands')
            .where('sub_domain', '=', subDomain)
            .select([
              'name',
              'description',
              'logo_url as logoURL',
              'logo2_url as logo2URL',
              'contact',
              'help_url as helpURL',
              'website_url as websiteURL',
            ])
            .executeTakeFirst(),
        ));
      return { ...(row || defaultBrand), demo };
    },
  };
}
