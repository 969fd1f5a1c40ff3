import type { Feature, Platform } from '../../core/feature.ts';
import { brandRoutes } from './brand.routes.ts';
import { type BrandService, type BrandServiceDeps, createBrandService } from './brand.service.ts';
import { type BrandingService, createBrandingService } from './branding.service.ts';

export type BrandDeps = Platform & Pick<BrandServiceDeps, 'demo' | 'version'>;

export function registerBrand({
  db,
  blobs,
  config,
  demo,
  version,
}: BrandDeps): Feature<{ brand: BrandService; branding: BrandingService }> {
  const stored = { db, blobs, publicUrl: config.publicUrl, mailFrom: config.mailFrom };
  const brand = createBrandService({
    ...stored,
    demo,
    hasOwnSingleSignOn: config.singleSignOn !== undefined,
    allowsRegistration: config.allowsRegistration,
    hasCustomerSuccess: config.customerSuccessUrl !== undefined,
    isUnderMaintenance: config.isUnderMaintenance,
    version,
  });
  return {
    service: { brand, branding: createBrandingService(stored) },
    routes: (serving) => brandRoutes(serving, brand),
  };
}
