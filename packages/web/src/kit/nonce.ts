/** The nonce of this page: the content-security policy lets in no style element without it. Empty where there is no policy (the development server). */
export const nonce = document.querySelector<HTMLStyleElement>('style[nonce]')?.nonce ?? '';
