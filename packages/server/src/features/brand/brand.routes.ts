import { brandApi } from '@parapet/contract/brand.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { BrandService } from './brand.service.ts';

export function brandRoutes(serving: Serving, brand: BrandService): void {
  serve(serving, brandApi.get, ({ request }) => brand.ofHost(request.headers.host ?? ''));
  serve(serving, brandApi.manifest, ({ request }) => brand.manifestOf(request.headers.host ?? ''));
  serve(serving, brandApi.image, async ({ params }) => ({
    type: 'image/png',
    bytes: await brand.image(params.subDomain, params.file),
    maxAgeSeconds: 86_400,
  }));
}
