import { searchApi } from '@parapet/contract/search.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { SearchService } from './search.service.ts';

export function searchRoutes(serving: Serving, search: SearchService): void {
  serve(serving, searchApi.find, ({ actor, query }) => search.find(actor, query.text));
}
