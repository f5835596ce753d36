import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, readableOn, textOn } from './color.ts';

const anyColor = fc.integer({ min: 0, max: 0xff_ff_ff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`);

describe('a colour of the brand', () => {
  it('has the contrast that WCAG defines', () => {
    expect(contrast('#000000', '#ffffff')).toBe(21);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });

  it('has a readable text on it, whatever the colour is', () => {
    fc.assert(fc.property(anyColor, (color) => contrast(textOn(color), color) >= 4.5));
  });

  it('can be read on a background, whatever both are', () => {
    fc.assert(
      fc.property(
        anyColor,
        anyColor,
        (color, background) => contrast(readableOn(background, color), background) >= 4.5,
      ),
    );
  });

  it('stays as it is where it can be read', () => {
    expect([readableOn('#ffffff', '#0b62a0'), readableOn('#0f151b', '#7fbdf0')]).toEqual(['#0b62a0', '#7fbdf0']);
  });
});
