import { iconPaths } from './icon-paths.ts';
import './icon.css';

export type IconName = keyof typeof iconPaths;

/** A decorative icon, as tall as its text: what it means must also be there in words. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    {iconPaths[name].map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
);
