import { createContext, type ReactNode, use } from 'react';
import { Link } from 'react-router';

/** The paths of the pages that are shown, such as `/claims/:locator`. */
export const PagePathsContext = createContext<readonly string[]>([]);

interface PageLinkProps {
  /** The path of the page as its area defines it. */
  readonly page: string;
  /** Default: the path of the page. */
  readonly to?: string;
  readonly className?: string;
  /** What is shown where there is no such page. Default: nothing. */
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}

/** A link to a page of another area, if that page is shown. */
export const PageLink = ({ page, to = page, className, otherwise = null, children }: PageLinkProps) =>
  use(PagePathsContext).includes(page) ? (
    <Link to={to} className={className}>
      {children}
    </Link>
  ) : (
    otherwise
  );
