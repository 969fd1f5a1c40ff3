/**
 * The brand of this host (spec §1), loaded once at start-up, before the sign-in. Until then, and after a failure, a neutral brand is used,
 * so that no partner’s page ever shows the provider’s.
 */
import type { Brand } from '@parapet/contract/brand.ts';
import { useEffect } from 'react';
import { call } from './call.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';
import { createStore, useStore } from './store.ts';

export const namelessBrand: Brand = {
  name: 'Security portal',
  description: 'Managed detection and response',
  title: 'Security portal',
  logoURL: '',
  logo2URL: '',
  faviconURL: '',
  accentLight: '',
  accentDark: '',
  contact: '',
  helpURL: '',
  websiteURL: '',
  singleSignOn: false,
  registration: false,
  customerSuccess: false,
  maintenance: false,
  version: '',
  demo: null,
};

export type DemoProgress = NonNullable<NonNullable<Brand['demo']>['progress']>;
export type BrandState = { status: 'loading' | 'ready' | 'failed'; brand: Brand; error?: Error };

const store = createStore<BrandState>({ status: 'loading', brand: namelessBrand });
const { get: state, set: become } = store;

export async function loadBrand(): Promise<void> {
  if (state().status === 'failed') become({ status: 'loading', brand: namelessBrand });
  try {
    become({ status: 'ready', brand: await call(endpointDescriptors.brand, {}) });
  } catch (error) {
    become({ status: 'failed', brand: namelessBrand, error: error instanceof Error ? error : new Error(String(error)) });
  }
}

/** Reloads the brand of a running portal, for a new version or maintenance. A failure changes nothing. */
export async function refreshBrand(): Promise<void> {
  const loaded = await call(endpointDescriptors.brand, {}).catch(() => undefined);
  if (loaded && JSON.stringify(loaded) !== JSON.stringify(currentBrand())) become({ status: 'ready', brand: loaded });
}

const progressEveryMs = 2_000;

/** Progress of a demo world that is being created, read every two seconds; undefined otherwise. */
export function useDemoProgress(): DemoProgress | undefined {
  const progress = useBrand().demo?.progress ?? undefined;
  const isMaking = progress !== undefined;
  useEffect(() => {
    if (!isMaking) return;
    const timer = setInterval(() => void refreshBrand(), progressEveryMs);
    return () => clearInterval(timer);
  }, [isMaking]);
  return progress;
}

export const onBrand = store.subscribe;
export const useBrandState = (): BrandState => useStore(store);
export const brandState = state;
export const currentBrand = (): Brand => state().brand;
export const useBrand = (): Brand => useBrandState().brand;

/** The address when a link may lead to it: http(s), mailto or a path. */
export const linkOf = (address: string): string | undefined =>
  /^(https?:\/\/|mailto:)[^\s]+$/i.test(address) || /^\/(?!\/)/.test(address) ? address : undefined;
