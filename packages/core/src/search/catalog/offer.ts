/** One offer of a seller, from any catalog shape. Texts have no HTML entities, and must be shown as text. */
export interface Offer {
  readonly providerId: string;
  /** The display name of the seller. Falls back to ids; empty if the catalog names no seller at all. */
  readonly providerName: string;
  readonly itemId: string;
  readonly name: string;
  readonly description?: string;
  /** The commercial terms of a Beckn 2.0 offer, such as "Monthly subscription". */
  readonly terms?: string;
  readonly price?: Price;
  /** http and https URLs. Pages should not load them: the server of a seller would see who searches. */
  readonly images?: readonly string[];
  /** Names, or ids of categories without a name. */
  readonly categories?: readonly string[];
  readonly locations?: readonly OfferLocation[];
  readonly distanceKm?: number;
  readonly rating?: Rating;
  readonly availability?: Availability;
  /** The id of the seller's platform on the network (`bpp_id`). */
  readonly sellerId?: string;
  readonly legId?: string;
  /** The label of the leg. */
  readonly network?: string;
}

/**
 * A price as sent: decimal numbers, usually. Only the given kinds are present
 * (https://github.com/beckn/protocol-specifications, `schema/Price.yaml`).
 */
export interface Price {
  /** An ISO 4217 code; empty if none is given. */
  readonly currency: string;
  readonly value?: string;
  readonly estimatedValue?: string;
  readonly minimumValue?: string;
  readonly maximumValue?: string;
  /** The price before a discount. */
  readonly listedValue?: string;
  /** The price after a discount. */
  readonly offeredValue?: string;
  /** What the price is for, such as "kWh". */
  readonly unit?: string;
}

/** A place where an offer is available. */
export interface OfferLocation {
  readonly name?: string;
  readonly city?: string;
  readonly address?: string;
  /** Latitude and longitude in degrees, such as `12.97,77.59`. */
  readonly gps?: string;
}

export interface Rating {
  /** Usually 0 to 5. */
  readonly value: number;
  /** The number of ratings. */
  readonly count?: number;
}

export interface Availability {
  readonly count?: number;
  readonly isInStock?: boolean;
  /** A time as sent, usually ISO 8601. */
  readonly from?: string;
  readonly until?: string;
}
