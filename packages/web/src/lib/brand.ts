/**
 * The brand of this host (spec §1), asked for once at start-up, before anybody signs in. While it is unknown, and when it cannot be had,
 * a brand without a name of its own stands in, so that no partner's page ever shows the provider's.
 */
import type { Brand } from '@parapet/contract/brand.ts';
import { useSyncExternalStore } from 'react';
import { call } from './call.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';

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

export type BrandState = { status: 'loading' | 'ready' | 'failed'; brand: Brand; error?: Error };

let state: BrandState = { status: 'loading', brand: namelessBrand };
const listeners = new Set<() => void>();
const become = (next: BrandState) => {
  state = next;
  for (const listener of listeners) listener();
};

export async function loadBrand(): Promise<void> {
  if (state.status === 'failed') become({ status: 'loading', brand: namelessBrand });
  try {
    become({ status: 'ready', brand: await call(endpointDescriptors.brand, {}) });
  } catch (error) {
    become({ status: 'failed', brand: namelessBrand, error: error instanceof Error ? error : new Error(String(error)) });
  }
}

/** Asks again while the portal runs: another version may have been deployed, maintenance begun. What fails changes nothing. */
export async function refreshBrand(): Promise<void> {
  const asked = await call(endpointDescriptors.brand, {}).catch(() => undefined);
  if (asked && JSON.stringify(asked) !== JSON.stringify(state.brand)) become({ status: 'ready', brand: asked });
}

export const onBrand = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useBrandState = (): BrandState => useSyncExternalStore(onBrand, () => state);
export const currentBrand = (): Brand => state.brand;
export const useBrand = (): Brand => useBrandState().brand;

/** Only addresses that a link may lead to. */
export const linkOf = (address: string): string | undefined =>
  /^(https?:\/\/|mailto:)[^\s]+$/i.test(address) || /^\/(?!\/)/.test(address) ? address : undefined;
