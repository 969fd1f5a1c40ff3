/** Facts of consents that several files share. */
import type { ConsentOutcome } from '@parapet/contract/connectionInvites.ts';

export const callbackPath = '/api/v1/connect/callback/microsoft';
export const resultPath = '/connect/result';

/** A consent that ends without a connection. */
export class ConsentFailure extends Error {
  readonly outcome: ConsentOutcome;

  constructor(outcome: ConsentOutcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

/** Outcome of an error that Microsoft redirects with: the person declined or went back, or anything else. */
export const outcomeOfError = (error: string): ConsentOutcome =>
  error === 'access_denied' || error === 'consent_required' ? 'cancelled' : 'failed';
