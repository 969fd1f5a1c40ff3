import type { Feature, Platform } from '../../core/feature.ts';
import { reviewsRoutes } from './reviews.routes.ts';
import { createReviewsService, type ReviewsService } from './reviews.service.ts';

export type ReviewsDeps = Pick<Platform, 'db' | 'clock'> &
  Pick<Parameters<typeof createReviewsService>[0], 'cases' | 'transitions'>;

export function registerReviews({ db, clock, cases, transitions }: ReviewsDeps): Feature<ReviewsService> {
  const service = createReviewsService({ db, clock, cases, transitions });
  return { service, routes: (serving) => reviewsRoutes(serving, service) };
}
