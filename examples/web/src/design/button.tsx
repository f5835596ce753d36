import type { ButtonHTMLAttributes } from 'react';
import { Link, type LinkProps } from 'react-router';
import './button.css';

type Look = 'primary' | 'quiet' | 'plain';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the main action of a page. `quiet`: others. `plain`: without a border, within text or a list. */
  readonly look?: Look;
}

const classOf = (look: Look, className: string): string => `button ${look} ${className}`.trim();

/** A button that does not submit its form, unless `type` is `submit`. */
export const Button = ({ look = 'primary', type = 'button', className = '', ...props }: ButtonProps) => (
  <button type={type} className={classOf(look, className)} {...props} />
);

/** A link to another page that looks like a button. */
export const LinkButton = ({
  look = 'quiet',
  className = '',
  ...props
}: LinkProps & { readonly look?: Look; readonly className?: string }) => (
  <Link className={classOf(look, className)} {...props} />
);
