/**
 * The element of toasts, beside the application. A modal dialog hides its siblings from screen readers; this element stays visible to them,
 * as toasts may report the dialog’s result while it is open.
 */
export const toastRoot = document.createElement('div');
document.body.append(toastRoot);
new MutationObserver(() => toastRoot.removeAttribute('aria-hidden')).observe(toastRoot, {
  attributes: true,
  attributeFilter: ['aria-hidden'],
});
