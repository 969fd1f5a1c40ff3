/** Visible keyboard focus: every control of every page looks different when it is focused. */
import type { Page } from '@playwright/test';
import { expect, type JourneyPersona, test } from './fixtures.ts';
import { isPageIdle } from './idle.ts';
import { allRoutes, isSettled, openRoute } from './routes.ts';

/** Controls of the open page without a visible focus, as HTML. Compares computed styles of each control and its frame, unfocused and focused. */
const withoutFocus = (page: Page): Promise<{ checked: number; faults: string[] }> =>
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
    return { checked: controls.length, faults };
  });

/** Focus set by script is visible after the keyboard was used. */
async function useKeyboard(page: Page): Promise<void> {
  await isPageIdle(page);
  await page.keyboard.press('Tab');
}

test('a control without a focus style is reported', async ({ page }) => {
  await page.goto('/login');
  await isSettled(page, 'Sign in');
  await useKeyboard(page);
  expect((await withoutFocus(page)).faults).toEqual([]);
  await page.evaluate(() => {
    const button = document.createElement('button');
    button.textContent = 'Bare';
    button.style.outline = '0';
    document.querySelector('main')?.append(button);
  });
  expect((await withoutFocus(page)).faults).toEqual([expect.stringContaining('Bare')]);
});

const walks: Record<JourneyPersona | 'guest', number> = {
  guest: 1,
  host: 4,
  superAnalyst: 0,
  partnerAnalyst: 0,
  partnerManager: 0,
  clientAdmin: 1,
  manager: 2,
  analyst: 1,
};

test('every page belongs to a walk', async () => {
  const personas = new Set((await allRoutes()).map(({ persona }) => persona ?? ('guest' as const)));
  expect([...personas].filter((persona) => walks[persona] === 0)).toEqual([]);
});

for (const [walker, parts] of Object.entries(walks)) {
  for (let part = 0; part < parts; part++) {
    test(`every control on the pages of ${walker} shows its focus (${part + 1} of ${parts})`, async ({ page }) => {
      test.setTimeout(180_000);
      const routes = (await allRoutes()).filter(({ persona = 'guest' }) => persona === walker);
      let total = 0;
      for (const route of routes.filter((_, at) => at % parts === part)) {
        await test.step(route.name, async () => {
          await openRoute(page, route);
          await useKeyboard(page);
          const { checked, faults } = await withoutFocus(page);
          total += checked;
          expect.soft(faults, route.name).toEqual([]);
        });
      }
      expect(total).toBeGreaterThan(0);
    });
  }
}
