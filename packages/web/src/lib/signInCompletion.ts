/**
 * The last step of every sign-in. With customer success configured the browser goes to its address first and returns to the
 * remembered path; otherwise the session starts and the guards redirect.
 */
import type { SessionUser } from '@parapet/contract/auth.ts';
import { currentBrand } from './brand.ts';
import { type Call, call } from './call.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';
import { paths } from './paths.ts';
import { redirects } from './redirects.ts';
import { session } from './session.ts';
import { tokens } from './tokens.ts';

/** An external address from the server, https only, so that no response can run as script or downgrade encryption. */
export function outsideAddress(url: unknown): string | undefined {
  return typeof url === 'string' && url.startsWith('https://') && URL.canParse(url) ? url : undefined;
}

interface Deps {
  call: Call;
  hasCustomerSuccess: () => boolean;
  redirects: Pick<typeof redirects, 'peek' | 'forget'>;
  keep: (token: string) => void;
  signIn: (user: SessionUser) => void;
  leave: (url: string) => void;
}

export function createSignInCompletion({ call, hasCustomerSuccess, redirects, keep, signIn, leave }: Deps) {
  /** The address of the customer-success tool; undefined without one or when it fails, which must not block the sign-in. */
  async function onward(link: string, accessToken?: string): Promise<string | undefined> {
    if (!hasCustomerSuccess()) return undefined;
    try {
      const options = accessToken ? { headers: { Authorization: `Bearer ${accessToken}` } } : {};
      return outsideAddress((await call(endpointDescriptors.customerSuccess, { query: { link } }, options)).url);
    } catch (error) {
      console.warn('The customer-success tool could not be reached.', error);
      return undefined;
    }
  }
  return {
    onward,
    /** Resolves with true when the browser leaves the portal. */
    async enter(user: SessionUser): Promise<boolean> {
      const url = await onward(redirects.peek() ?? paths.dashboard(), user.accessToken);
      if (!url) {
        signIn(user);
        return false;
      }
      redirects.forget();
      keep(user.accessToken);
      leave(url);
      return true;
    },
  };
}

export const { enter, onward } = createSignInCompletion({
  call,
  hasCustomerSuccess: () => currentBrand().customerSuccess,
  redirects,
  keep: tokens.keep,
  signIn: session.signIn,
  leave: (url) => location.assign(url),
});
