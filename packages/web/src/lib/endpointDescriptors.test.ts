import * as auth from '@parapet/contract/auth.ts';
import { brandApi } from '@parapet/contract/brand.ts';
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { mailSubscriptionsApi } from '@parapet/contract/mailSubscriptions.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { mfaCodeLength } from '@parapet/contract/secondFactor.proof.ts';
import { signInAgainText } from '@parapet/contract/users.ts';
import { expect, test } from 'vitest';
import { endpointDescriptors, limits, texts, tooLong, tooShort } from './endpointDescriptors.ts';

const contract = {
  ...auth.authApi,
  getAllClients: organisationsApi.getAllClients,
  brand: brandApi.get,
  answerByLink: caseMailsApi.answerByLink,
  answerNeedsPress: caseMailsApi.answerNeedsPress,
  openInvite: connectionInvitesApi.open,
  beginConsent: connectionInvitesApi.consent,
  acceptInvite: connectionInvitesApi.accept,
  unsubscribe: mailSubscriptionsApi.unsubscribe,
};

test.each(Object.entries(endpointDescriptors))('%s equals the contract’s', (name, descriptor) => {
  const { id, method, path, prefix, allow, answers, upload } = contract[name as keyof typeof endpointDescriptors];
  expect(descriptor).toEqual({ id, method, path, prefix, allow, answers, upload });
});

test('repeats limits and texts of the contract', () => {
  const { emailMinLength, loginPasswordMinLength } = auth;
  expect(limits).toEqual({ emailMinLength, loginPasswordMinLength, mfaCodeLength });
  const { wrongCodeText, resetMismatchText, resetComplexityText } = auth;
  expect(texts).toEqual({ wrongCodeText, resetMismatchText, resetComplexityText, signInAgainText });
  const code = (length: number) =>
    auth.authApi.completeMfa.body.safeParse({ nonce: 'n', password: 'p', code: '1'.repeat(length) }).error?.issues[0]?.message;
  expect([code(5), code(6), code(7)]).toEqual([tooShort(6), undefined, tooLong(6)]);
});
