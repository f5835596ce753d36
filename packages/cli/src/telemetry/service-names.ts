import { configuredServices, pathsOf } from '../settings/configured-services.ts';
import { identityProviders } from '../settings/sections/identity-schema.ts';
import type { Settings } from '../settings/schema.ts';

/** The name of the service that a request goes to: `claims`, `identity`, `leg moa`, `registry`. */
export type NameService = (url: string) => string;

interface Target {
  readonly name: string;
  /** `https:`, nothing, the host, and the segments of the path; a segment with a parameter matches any. */
  readonly segments: readonly string[];
}

/**
 * Names services by their URLs in the settings. The paths decide between services that share a base URL; otherwise the
 * longest base URL wins. A URL that no setting explains is `other`.
 */
export const serviceNames = (settings: Settings, server?: string): NameService => {
  const { downstreams, search } = settings;
  const services = configuredServices({ downstreams });
  const operations = services.flatMap(([name, { url, paths, routes = {} }]) =>
    [...Object.values(pathsOf(name, paths)), ...Object.values(routes).map(({ path }) => path)].flatMap((path) =>
      targetOf(name, url, path),
    ),
  );
  const bases = [
    ...services.flatMap(([name, { url }]) => targetOf(name, url)),
    ...Object.entries(search.legs ?? {}).flatMap(([id, { gatewayUrl }]) => targetOf(`leg ${id}`, gatewayUrl)),
    ...[
      search.registryUrl,
      search.registry?.url,
      ...Object.values(search.legs ?? {}).map((leg) => leg.registry?.url),
    ].flatMap((url) => targetOf('registry', url)),
    ...identityProviders(settings).flatMap(({ jwksUrl, tokenUrl, issuer }) =>
      [jwksUrl, tokenUrl, new URL(issuer).origin].flatMap((url) => targetOf('identity', url)),
    ),
    ...targetOf('portico', server),
  ].toSorted((one, other) => other.segments.length - one.segments.length);
  return (url) => {
    const segments = segmentsOf(url);
    const found =
      operations.find((target) => target.segments.length === segments.length && isWithin(target, segments)) ??
      bases.find((target) => isWithin(target, segments));
    return found?.name ?? 'other';
  };
};

/** Empty when the URL is not set or not valid. */
const targetOf = (name: string, base: string | null | undefined, path = ''): readonly Target[] => {
  const url = URL.parse(base ?? '');
  return url ? [{ name, segments: segmentsOf(`${url.origin}${url.pathname.replace(/\/+$/, '')}${path}`) }] : [];
};

const segmentsOf = (url: string): readonly string[] =>
  url
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')
    .split('/');

const isWithin = (target: Target, segments: readonly string[]): boolean =>
  target.segments.every((segment, index) => segment.includes('{') || segment === segments[index]);
