/**
 * Where toasts are drawn: beside the application, never hidden from screen readers. A modal dialog hides everything beside it; but what a
 * dialog did is told by a toast while the dialog is still open.
 */
export const toastRoot = document.createElement('div');
document.body.append(toastRoot);
new MutationObserver(() => toastRoot.removeAttribute('aria-hidden')).observe(toastRoot, {
  attributes: true,
  attributeFilter: ['aria-hidden'],
});
