import { type RefObject, use, useEffect, useRef, useState } from 'react';
import { NavLink, useLocation } from 'react-router';
import { ServicesContext } from '../api/services.ts';
import { Icon } from '../design/icon.tsx';
import { useTexts } from '../texts/texts.tsx';
import { type Area, areas } from './areas.ts';
import './navigation.css';

/** On small screens, a bar at the bottom shows this many areas; the menu "More" has the others. */
const alwaysVisible = 4;

/** The areas whose services Portico serves. */
export const useAreas = (): readonly Area[] => {
  const served = use(ServicesContext);
  return areas.filter(({ services }) => !services || !served || services.some((name) => served.includes(name)));
};

/** The areas of the portal: a row below the masthead, or a bar at the bottom of a small screen. */
export const Navigation = () => {
  const { app } = useTexts();
  const shown = useAreas().filter(({ place }) => place === undefined);
  const element = useRef<HTMLElement>(null);
  const menu = useMenu(element);
  // One area needs no menu.
  const hasMenu = shown.length > alwaysVisible + 1;
  const first = hasMenu ? shown.slice(0, alwaysVisible) : shown;
  return (
    <nav className="navigation" aria-label={app.pages} ref={element}>
      <ul>
        {first.map((area) => (
          <AreaLink key={area.label} area={area} />
        ))}
        {hasMenu ? (
          <li className="more">
            <button type="button" aria-expanded={menu.isOpen} aria-controls="more-pages" onClick={menu.toggle}>
              <Icon icon="more" />
              {app.more}
            </button>
            <ul id="more-pages" className={menu.isOpen ? 'open' : undefined}>
              {shown.slice(alwaysVisible).map((area) => (
                <AreaLink key={area.label} area={area} />
              ))}
            </ul>
          </li>
        ) : null}
      </ul>
    </nav>
  );
};

const AreaLink = ({ area: { label, icon, pages } }: { readonly area: Area }) => {
  const { app } = useTexts();
  const [{ path }] = pages;
  return (
    <li>
      <NavLink to={path} end={path === '/'}>
        <Icon icon={icon} />
        {app.navigation[label]}
      </NavLink>
    </li>
  );
};

/** A menu that closes after navigation, with Escape, and when the member goes on elsewhere. */
const useMenu = (element: RefObject<HTMLElement | null>) => {
  const { key } = useLocation();
  // The history entry at which the menu was opened; after navigation it counts as closed.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === key;
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = () => setOpenAt(undefined);
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      close();
      element.current?.querySelector('button')?.focus();
    };
    const onElsewhere = ({ target }: Event) => {
      if (!element.current?.contains(target as Node)) close();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onElsewhere);
    document.addEventListener('focusin', onElsewhere);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onElsewhere);
      document.removeEventListener('focusin', onElsewhere);
    };
  }, [isOpen, element]);
  return { isOpen, toggle: () => setOpenAt(isOpen ? undefined : key) };
};
