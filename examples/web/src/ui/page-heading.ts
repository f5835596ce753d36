import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

let lastPath: string | undefined;

/** Sets the title, and focuses the heading after navigation, so that screen readers announce the page. */
export const usePageHeading = (title: string): RefObject<HTMLHeadingElement | null> => {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    document.title = `${title} · Member portal`;
    if (lastPath !== undefined && lastPath !== pathname) heading.current?.focus();
    lastPath = pathname;
  }, [title, pathname]);
  return heading;
};
