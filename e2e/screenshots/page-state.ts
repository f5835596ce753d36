import type { Step } from './steps.ts';

/** How a picture differs from a light one of a screen. */
export type Look = 'dark' | 'forced-colors' | 'print';

/** A page of the documentation in one state. */
export interface PageState {
  /** The file is `<name>.png` at 1440 pixels, `<name>-360.png` at 360 pixels, and `<name>-<look>.png` for each other look. */
  readonly name: string;
  readonly path: string;
  /** The member who is signed in. Default: `member-a`. */
  readonly member?: 'member-a' | 'member-b' | 'member-c' | 'signed-out';
  /** Before the page is opened. */
  readonly before?: readonly Step[];
  /** On the page. */
  readonly steps?: readonly Step[];
  /** A text that the page shows when it is complete. */
  readonly ready: string;
  /** A part of the page is still loading in the picture. */
  readonly isLoading?: boolean;
  /** The picture shows the window, for instance with a dialog in its middle. Default: the whole page. */
  readonly isWindow?: boolean;
  /** Pictures at 1440 pixels in addition to the usual ones. */
  readonly looks?: readonly Look[];
  /** Default: `en-US`. */
  readonly locale?: string;
}
