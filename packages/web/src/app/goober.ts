/**
 * notistack's style writer (goober) would make its style element with innerHTML, which the page's trusted-types policy refuses. It takes
 * an element that is there already; so this is imported before notistack.
 */
import { nonce } from '../kit/nonce.ts';

// goober gives its element this nonce at each rule.
Object.assign(window, { __nonce__: nonce });

const id = '_goober';
if (!document.getElementById(id)) {
  const style = document.createElement('style');
  style.id = id;
  style.nonce = nonce;
  style.append(document.createTextNode(' '));
  document.head.append(style);
}
