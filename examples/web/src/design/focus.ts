/** Focuses what is not a control, such as a heading, for a control that disappears when it is used. */
export const focusPlace = (place: Element | null | undefined): void => {
  if (!(place instanceof HTMLElement)) return;
  place.tabIndex = -1;
  place.focus();
};

/** Focuses the heading of the page. */
export const focusHeading = (): void => focusPlace(document.querySelector('h1'));
