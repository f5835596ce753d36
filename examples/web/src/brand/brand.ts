import { createContext, use } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { type Color, readableOn, textOn } from './color.ts';

/** How the insurer appears on the pages. */
export interface Brand {
  /** Default: the name in the texts of the pages. */
  readonly name?: string;
  /** Path of an image on the host of the pages. */
  readonly logo?: string;
  /** Colour of the header. */
  readonly headerColor?: Color;
  /** Colour of buttons, links and bars. */
  readonly accentColor?: Color;
}

export const BrandContext = createContext<Brand>({});

export const useBrandName = (): string => {
  const { app } = useTexts();
  return use(BrandContext).name ?? app.name;
};

/** The backgrounds with the least contrast on which accent-coloured text is shown (design/styles/tokens.css). */
export const tints = { light: '#e7f1fa', dark: '#17304a' };

/** The values of the CSS variables of a brand. Text on its colours, and its colours as text, have a contrast of 4.5 to 1. */
export const brandVariables = ({ headerColor, accentColor }: Brand): readonly (readonly [name: string, Color])[] => [
  ...(headerColor
    ? ([
        ['--brand-header', headerColor],
        ['--on-brand-header', textOn(headerColor)],
      ] as const)
    : []),
  ...(accentColor
    ? ([
        ['--fill', accentColor],
        ['--on-fill', textOn(accentColor)],
        ['--accent-light', readableOn(tints.light, accentColor)],
        ['--accent-dark', readableOn(tints.dark, accentColor)],
      ] as const)
    : []),
];

/** Shows the pages in the colours of the brand. By script: the Content-Security-Policy allows no inline styles. */
export const applyBrand = (brand: Brand): void => {
  for (const [name, color] of brandVariables(brand)) document.documentElement.style.setProperty(name, color);
};
