/**
 * Single sign-on in the browser (spec §4). The parameters of the identity provider’s return are removed from the address first,
 * so that they stay out of history, bookmarks and referrers.
 */
import { safePath } from '@parapet/contract/rules/safePath.ts';
import { addressOf } from './call.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';

export interface SignOnAnswer {
  token?: string;
  hasFailed: boolean;
  /** The path to open afterwards. */
  path?: string;
}

export const callbackPath = '/auth/microsoft/callback';

/** The address that starts a single sign-on; `path` is where it returns to. */
export const signOnAddress = (path: string | undefined): string =>
  addressOf(endpointDescriptors.singleSignOn, { query: { redirect_url: path } });

/** The parameters of an address; undefined for other pages. */
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
 * In a step-up window that returns: reports to the opener and closes. Returns false on every other page. Uses a broadcast channel, as an
 * identity provider may sever the opener.
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

/** Subscribes to the result of a step-up in another window: "done" or the error. */
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

/** Returns the parameters once; going back to the page finds none. */
export function takeSignOn(): SignOnAnswer {
  const answer = arrived ?? { hasFailed: false };
  arrived = undefined;
  return answer;
}
