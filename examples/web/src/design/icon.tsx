import { iconPaths } from './icon-paths.ts';
import './icon.css';

export type IconName = keyof typeof iconPaths;

type IconProps = { readonly name: IconName } | { readonly paths: readonly string[] };

/** A decorative icon, as tall as its text: what it means must also be there in words. */
export const Icon = (props: IconProps) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    {('paths' in props ? props.paths : iconPaths[props.name]).map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
);
