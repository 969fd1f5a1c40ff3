/** Visible keyboard focus: a control must look different when it is focused. */
import type { Page } from '@playwright/test';
import { isPageIdle } from './idle.ts';

/** Controls of the open page without a visible focus, as HTML. Compares computed styles of each control and its frame, unfocused and focused. */
export const withoutFocus = (page: Page): Promise<{ checked: number; faults: string[] }> =>
  page.evaluate(async () => {
    const isShown = (control: HTMLElement) =>
      control.checkVisibility({ visibilityProperty: true }) && !control.matches(':disabled, [aria-hidden=true]');
    // Components render their focused state after the event.
    const rendered = () => new Promise((resolve) => setTimeout(resolve));
    const frameOf = (control: HTMLElement) =>
      control.closest<HTMLElement>('.MuiInputBase-root, label, tr, li, .MuiButtonBase-root, .MuiSwitch-root') ?? control;
    const lookOf = (control: HTMLElement) => {
      const frame = frameOf(control);
      const near = [control, frame, ...frame.querySelectorAll('*')].slice(0, 60);
      return near
        .map((each) => {
          const style = getComputedStyle(each);
          const outline = style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineColor}`;
          // An outline on an invisible element is none.
          const shown = style.opacity === '0' ? '' : outline;
          return [shown, style.boxShadow, style.borderTopWidth, style.borderTopColor, style.stroke, style.strokeWidth].join();
        })
        .join('|');
    };
    const controls = [
      ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex="0"]'),
    ].filter(isShown);
    const faults: string[] = [];
    for (const control of controls) {
      (document.activeElement as HTMLElement | null)?.blur();
      await rendered();
      const before = lookOf(control);
      control.focus({ preventScroll: true });
      await rendered();
      // Elements that cannot take the focus are skipped.
      if (document.activeElement !== control) continue;
      if (lookOf(control) === before) faults.push(control.outerHTML.slice(0, 160));
    }
    (document.activeElement as HTMLElement | null)?.blur();
    return { checked: controls.length, faults };
  });

/** Focus set by script is visible after the keyboard was used. */
export async function useKeyboard(page: Page): Promise<void> {
  await isPageIdle(page);
  await page.keyboard.press('Tab');
}
