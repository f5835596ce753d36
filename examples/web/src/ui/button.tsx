import type { ButtonHTMLAttributes } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'quiet';
}

/** Never submits a form unless it says so. */
export const Button = ({ look = 'primary', type = 'button', className = '', ...props }: ButtonProps) => (
  <button type={type} className={`button ${look} ${className}`.trim()} {...props} />
);
