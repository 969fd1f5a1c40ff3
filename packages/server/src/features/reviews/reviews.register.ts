import type { Feature } from '../../core/feature.ts';
import { reviewsRoutes } from './reviews.routes.ts';
import { createReviewsService, type ReviewsService, type ReviewsServiceDeps } from './reviews.service.ts';

export function registerReviews(deps: ReviewsServiceDeps): Feature<ReviewsService> {
  const service = createReviewsService(deps);
  return { service, routes: (serving) => reviewsRoutes(serving, service) };
}
