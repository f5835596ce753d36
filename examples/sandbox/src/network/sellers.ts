import { type CatalogProvider, ware } from '../search/catalogs.ts';
import type { SellerFault } from '../search/seller-behaviour.ts';

/** A seller of the network: its catalog, and how it behaves at first. */
export interface SellerPlan {
  /** The delay before each callback, as a share of the longest delay. */
  readonly delay: number;
  readonly fault: SellerFault | null;
  /** The catalog; each page comes in a callback of its own. */
  readonly pages: readonly CatalogProvider[];
}

const page = (id: string, name: string, items: CatalogProvider['items']): CatalogProvider => ({
  id,
  descriptor: { name },
  items,
});

/** Invented shops. The names are those of the control API. */
export const sellerPlans = {
  fast: {
    delay: 0.1,
    fault: null,
    pages: [
      page('shop-station', 'Station Pharmacy', [
        ware('st-thermometer', 'Digital thermometer', '189.00'),
        ware('st-pain-balm', 'Pain relief balm, 50 g', '95.00'),
      ]),
    ],
  },
  paged: {
    delay: 0.3,
    fault: null,
    pages: [
      page('shop-home-care', 'Home Care Supplies', [
        ware('hc-walker', 'Walking frame', '1450.00'),
        ware('hc-wheelchair', 'Wheelchair, folding', '7800.00'),
      ]),
      page('shop-home-care', 'Home Care Supplies', [
        ware('hc-nebuliser', 'Nebuliser', '1650.00'),
        ware('hc-hot-water', 'Hot water bag', '220.00'),
      ]),
    ],
  },
  twice: {
    delay: 0.45,
    fault: 'two-callbacks',
    pages: [
      page('shop-young-family', 'Young Family Store', [
        ware('yf-scale', 'Baby scale', '2100.00'),
        ware('yf-ors', 'Oral rehydration salts, 20 sachets', '390.00'),
      ]),
    ],
  },
  failing: {
    delay: 0.75,
    fault: 'error-callback',
    pages: [page('shop-hill', 'Hill Clinic Shop', [ware('hi-eye-drops', 'Eye drops', '130.00')])],
  },
  slow: {
    delay: 1,
    fault: null,
    pages: [
      page('shop-village', 'Village Health Store', [
        ware('vi-glucometer', 'Glucometer with 50 strips', '1290.00'),
        ware('vi-bandages', 'Elastic bandages, set of 4', '310.00'),
      ]),
    ],
  },
} as const satisfies Readonly<Record<string, SellerPlan>>;

export type NetworkSellerName = keyof typeof sellerPlans;
