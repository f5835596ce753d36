import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

let lastPath: string | undefined;

/** Names the page, and takes the focus when the member came from another one: a screen reader then says where it is. */
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
