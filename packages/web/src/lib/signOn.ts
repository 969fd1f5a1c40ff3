/**
 * Single sign-on in the browser (spec §4, decision 4). What the identity provider's return carries is taken out of the address before
 * anything else is done, so that it stays in no history, no bookmark and no referrer.
 */
import { safePath } from '@parapet/contract/rules/safePath.ts';
import { addressOf } from './call.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';

export interface SignOnAnswer {
  token?: string;
  hasFailed: boolean;
  /** Where to go afterwards. */
  path?: string;
}

export const callbackPath = '/auth/microsoft/callback';

/** Where the browser goes to start; `path` is where it comes back to. */
export const signOnAddress = (path: string | undefined): string =>
  addressOf(endpointDescriptors.singleSignOn, { query: { redirect_url: path } });

/** What an address carries; undefined for any other page. */
export function answerIn(address: { pathname: string; search: string }): SignOnAnswer | undefined {
  if (address.pathname.replace(/\/+$/, '').toLowerCase() !== callbackPath) return undefined;
  const query = new URLSearchParams(address.search);
  const token = query.get('token') ?? '';
  const path = safePath(query.get('redirect_url'));
  return {
    hasFailed: query.has('error'),
    ...(token !== '' && token.length <= 4096 ? { token } : {}),
    ...(path === undefined ? {} : { path }),
  };
}

const channelName = 'step-up';

/**
 * In the window of a step-up, on its way back: reports to the page that opened it and closes. False for every other page. By a channel: an identity
 * provider may cut the tie between the two windows.
 */
export function reportStepUp(): boolean {
  const isCallback = location.pathname.replace(/\/+$/, '').toLowerCase() === callbackPath;
  const outcome = isCallback ? new URLSearchParams(location.search).get('step_up') : null;
  if (outcome === null) return false;
  new BroadcastChannel(channelName).postMessage(outcome);
  document.body.textContent = 'You can close this window.';
  window.close();
  return true;
}

/** Hears how a step-up in another window ended: "done", or why not. */
export function onStepUpOutcome(listener: (outcome: string) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }) => listener(String(data));
  return () => channel.close();
}

let arrived: SignOnAnswer | undefined;

/** Called by main before anything else. */
export function receiveSignOn(): void {
  arrived = answerIn(location);
  if (arrived) history.replaceState(history.state, '', callbackPath);
}

/** Once: going back to the page finds nothing. */
export function takeSignOn(): SignOnAnswer {
  const answer = arrived ?? { hasFailed: false };
  arrived = undefined;
  return answer;
}
