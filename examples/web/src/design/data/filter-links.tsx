import { Link } from 'react-router';
import './filter-links.css';

interface FilterLinksProps {
  /** What is filtered, for screen readers. */
  readonly label: string;
  readonly options: readonly { readonly to: string; readonly label: string; readonly isCurrent: boolean }[];
}

/** Filters of a list as links, so that each filtered list has a URL. */
export const FilterLinks = ({ label, options }: FilterLinksProps) => (
  <ul className="filters" aria-label={label}>
    {options.map((option) => (
      <li key={option.to}>
        <Link to={option.to} replace preventScrollReset aria-current={option.isCurrent ? 'true' : undefined}>
          {option.label}
        </Link>
      </li>
    ))}
  </ul>
);
