import { brandApi } from '@parapet/contract/brand.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { BrandService } from './brand.service.ts';

export function brandRoutes(serving: Serving, brand: BrandService): void {
  serve(serving, brandApi.get, ({ request }) => brand.ofHost(request.headers.host ?? ''));
}
