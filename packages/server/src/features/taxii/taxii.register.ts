import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { taxiiRoutes } from './taxii.routes.ts';
import { createTaxiiService, type TaxiiService } from './taxii.service.ts';

export function registerTaxii({ db, siteOf }: Platform & Pick<BrandService, 'siteOf'>): Feature<TaxiiService> {
  const service = createTaxiiService({ db, siteOf });
  return {
    service,
    routes: (serving) => taxiiRoutes(serving, service),
    jobs: [{ name: 'taxii.refresh', cron: '* * * * *', run: service.refresh }],
  };
}
