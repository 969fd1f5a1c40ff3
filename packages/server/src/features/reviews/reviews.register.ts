import type { Feature } from '../../core/feature.ts';
import { reviewsRoutes } from './reviews.routes.ts';
import { createReviewsService, type ReviewsService, type ReviewsServiceDeps } from './reviews.service.ts';

// For the composition of the application; other features receive them as arguments.
export { putDecision, requestReview, requestReviews } from './reviews.store.ts';

export function registerReviews(deps: ReviewsServiceDeps): Feature<ReviewsService> {
  const service = createReviewsService(deps);
  return { service, routes: (serving) => reviewsRoutes(serving, service) };
}
