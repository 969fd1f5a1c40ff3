import { reviewsApi } from '@parapet/contract/reviews.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ReviewsService } from './reviews.service.ts';

export function reviewsRoutes(serving: Serving, reviews: ReviewsService): void {
  serve(serving, reviewsApi.list, ({ actor, body }) => reviews.list(actor, body));
  serve(serving, reviewsApi.analysts, ({ actor }) => reviews.analysts(actor));
  serve(serving, reviewsApi.updateAnalyst, ({ actor, body }) => reviews.updateAnalyst(actor, body));
  serve(serving, reviewsApi.updateDecision, ({ actor, body }) => reviews.updateDecision(actor, body));
  serve(serving, reviewsApi.markIncorrect, ({ actor, body }) => reviews.markIncorrect(actor, body));
  serve(serving, reviewsApi.updateDecisioningCorrectness, async ({ actor, body }) => {
    await reviews.updateDecisioningCorrectness(actor, body);
    return {};
  });
  serve(serving, reviewsApi.calibration, ({ actor, params }) => reviews.calibration(actor, params.client));
}
