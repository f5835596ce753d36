import { type ReactNode, use } from 'react';
import { Icon } from '../design/icon.tsx';
import { BrandContext, useBrandName } from '../brand/brand.ts';
import './masthead.css';

/** The band at the top, with the logo and name of the insurer. */
export const Masthead = ({ children }: { readonly children?: ReactNode }) => {
  const { logo } = use(BrandContext);
  const name = useBrandName();
  return (
    <header className="masthead">
      <div className="masthead-row">
        <span className="brand">
          {/* The name is beside it. */}
          {logo ? <img src={logo} alt="" /> : <Icon icon="shield" />}
          <span>{name}</span>
        </span>
        {children}
      </div>
    </header>
  );
};
