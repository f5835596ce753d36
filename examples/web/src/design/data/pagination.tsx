import { useTexts } from '../../texts/texts.tsx';
import { LinkButton } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { pageIconPaths } from './page-icon-paths.ts';
import './pagination.css';

interface PaginationProps {
  /** The URLs of the pages before and after this one, if there are any. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
  /** Where this page is, such as "11 to 20 of 43". */
  readonly position: string;
}

/** Links to the previous and next page of a list. */
export const Pagination = ({ previous, next, position }: PaginationProps) => {
  const texts = useTexts().controls;
  if (previous === undefined && next === undefined) return null;
  return (
    <div className="pagination">
      {previous === undefined ? null : (
        <LinkButton to={previous} rel="prev">
          <Icon icon={pageIconPaths.previous} />
          {texts.previousPage}
        </LinkButton>
      )}
      <span className="fine">{position}</span>
      {next === undefined ? null : (
        <LinkButton to={next} rel="next">
          {texts.nextPage}
          <Icon icon={pageIconPaths.next} />
        </LinkButton>
      )}
    </div>
  );
};
