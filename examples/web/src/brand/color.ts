/** Colours as `#rrggbb`. */
export type Color = string;

const channels = (color: Color): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** Relative luminance (WCAG 2.2). */
const luminance = (color: Color): number => {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** Contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export const contrast = (one: Color, other: Color): number => {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter! + 0.05) / (darker! + 0.05);
};

const black = '#000000';
const white = '#ffffff';

/** Black or white, whichever is easier to read on this colour: at least 4.5 to 1. */
export const textOn = (color: Color): Color => (contrast(white, color) >= contrast(black, color) ? white : black);

const mixed = (color: Color, other: Color, share: number): Color => {
  const others = channels(other);
  const parts = channels(color).map((channel, at) => Math.round(channel + (others[at]! - channel) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};

/** The colour itself, or the nearest mix with black or white that has a contrast of 4.5 to 1 on this background. */
export const readableOn = (background: Color, color: Color): Color => {
  const towards = textOn(background);
  for (let share = 0; share < 1; share += 0.02) {
    const candidate = mixed(color, towards, share);
    if (contrast(candidate, background) >= 4.5) return candidate;
  }
  return towards;
};
