import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { useBrandName } from '../brand/brand.ts';
import { useToast } from './toast.tsx';
import './page-heading.css';

let lastPath: string | undefined;

/** Sets the title of the document. */
export const useTitle = (title: string): void => {
  const brand = useBrandName();
  useEffect(() => {
    document.title = `${title} · ${brand}`;
  }, [title, brand]);
};

/** Sets the title, and focuses the heading after navigation, so that screen readers announce the page. */
export const usePageHeading = (title: string): RefObject<HTMLHeadingElement | null> => {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const showToast = useToast();
  useTitle(title);
  useEffect(() => {
    if (lastPath !== undefined && lastPath !== pathname) {
      heading.current?.focus();
      // The message was about the page before.
      showToast('');
    }
    lastPath = pathname;
  }, [pathname, showToast]);
  return heading;
};

interface PageHeadingProps {
  readonly title: string;
  /** One sentence on what the page is for. */
  readonly lead?: ReactNode;
  /** The main action of the page. */
  readonly action?: ReactNode;
}

/** The heading of a page. Each page has one. */
export const PageHeading = ({ title, lead, action }: PageHeadingProps) => {
  const heading = usePageHeading(title);
  return (
    <div className="page-heading">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead === undefined ? null : <p className="lead">{lead}</p>}
      </div>
      {action}
    </div>
  );
};
