/** What the pages must know before anybody can sign in. Portico serves it; a host of one's own puts a file there. */
export interface PageConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Where Portico is, when it is not the host of the pages. */
  readonly apiUrl?: string;
  /** Personas that may search; null: any. */
  readonly personas: readonly string[] | null;
}

export const loadConfig = async (): Promise<PageConfig> => {
  const response = await fetch('/config.json');
  if (!response.ok) throw new Error(`/config.json answered ${response.status}`);
  return (await response.json()) as PageConfig;
};
