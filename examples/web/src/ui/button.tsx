import type { ButtonHTMLAttributes } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'quiet';
}

/** A button that does not submit its form, unless `type` is `submit`. */
export const Button = ({ look = 'primary', type = 'button', className = '', ...props }: ButtonProps) => (
  <button type={type} className={`button ${look} ${className}`.trim()} {...props} />
);
