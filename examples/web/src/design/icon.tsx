import { iconPaths } from './icon-paths.ts';
import './icon.css';

export type IconName = keyof typeof iconPaths;

/** An icon by its name, or the paths of one that the first page does not have. */
export type IconLook = IconName | readonly string[];

/** A decorative icon, as tall as its text: what it means must also be there in words. */
export const Icon = ({ icon }: { readonly icon: IconLook }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    {(typeof icon === 'string' ? iconPaths[icon] : icon).map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
);
