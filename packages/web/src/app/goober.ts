/**
 * notistack’s style writer (goober) creates its style element with innerHTML, which the trusted-types policy of the page refuses. It reuses
 * an existing element; import this module before notistack.
 */
import { nonce } from '../kit/nonce.ts';

// goober sets this nonce at each rule.
Object.assign(window, { __nonce__: nonce });

const id = '_goober';
if (!document.getElementById(id)) {
  const style = document.createElement('style');
  style.id = id;
  style.nonce = nonce;
  style.append(document.createTextNode(' '));
  document.head.append(style);
}
