/** True once a grid was built in this visit: its code has run, and further lists need not show their rows before it. */
let isShown = false;

export const wasGridShown = (): boolean => isShown;
export const gridIsShown = (): void => {
  isShown = true;
};
