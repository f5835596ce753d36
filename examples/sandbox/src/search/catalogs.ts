import type { Intent } from './envelope.ts';

interface CatalogItem {
  readonly id: string;
  readonly descriptor: { readonly name: string; readonly short_desc?: string };
  readonly price?: { readonly currency: 'INR'; readonly value: string };
}

export interface CatalogProvider {
  readonly id: string;
  readonly descriptor: { readonly name: string };
  readonly items: readonly CatalogItem[];
}

const scheme = (id: string, name: string, short_desc: string, price?: string) => ({
  id,
  descriptor: { name, short_desc },
  ...(price !== undefined && { price: { currency: 'INR', value: price } as const }),
});

export const ware = (id: string, name: string, price: string): CatalogItem => ({
  id,
  descriptor: { name },
  price: { currency: 'INR', value: price },
});

/** Offers of the `moa` network's agencies: invented, and free of charge unless they have a price. */
export const schemeProviders = [
  {
    id: 'agency-health-assurance',
    descriptor: { name: 'Agency for Health Assurance' },
    items: [
      scheme(
        'ha-family-cover',
        'Family Health Cover',
        'Hospital insurance for low-income families, up to 500000 a year',
      ),
      scheme('ha-senior-care', 'Senior Health Card', 'Free check-ups and half-price medicines from the age of 60'),
      scheme('ha-dialysis', 'Dialysis Support', 'Cashless dialysis at district hospitals for kidney patients'),
      scheme('ha-accident', 'Accident Insurance', 'Accident and disability insurance for workers', '20.00'),
    ],
  },
  {
    id: 'department-women-children',
    descriptor: { name: 'Department for Women and Children' },
    items: [
      scheme('wc-maternity', 'Maternity Benefit', 'Cash in three parts for mothers, from pregnancy to vaccination'),
      scheme('wc-nutrition', 'Child Nutrition Programme', 'Meals and growth checks for children under six'),
      scheme('wc-girls', 'Scholarship for Girls', 'Yearly scholarship for girls in secondary school'),
    ],
  },
  {
    id: 'board-rural-livelihoods',
    descriptor: { name: 'Board for Rural Livelihoods' },
    items: [
      scheme('rl-crop', 'Crop Insurance', 'Insurance against drought, flood and pests for small farmers', '350.00'),
      scheme('rl-pension', 'Farmer Pension', 'Monthly pension for small farmers from the age of 60', '55.00'),
      scheme('rl-soil', 'Soil Health Card', 'Free soil test with advice on crops and fertiliser'),
    ],
  },
  {
    id: 'office-social-security',
    descriptor: { name: 'Office for Social Security' },
    items: [
      scheme('ss-disability', 'Disability Pension', 'Monthly pension for people with a certified disability'),
      scheme('ss-housing', 'Rural Housing Grant', 'Grant in instalments for a first permanent house'),
      scheme('ss-widow', 'Survivor Pension', 'Monthly pension after the death of the family earner'),
    ],
  },
] as const satisfies readonly CatalogProvider[];

/** Offers of the `mh` network's shops: invented, too. */
export const retailProviders: readonly CatalogProvider[] = [
  {
    id: 'shop-home-diagnostics',
    descriptor: { name: 'Home Diagnostics Store' },
    items: [
      ware('hd-bp-monitor', 'Blood pressure monitor', '1899.00'),
      ware('hd-glucometer', 'Glucometer with 25 strips', '999.00'),
      ware('hd-oximeter', 'Pulse oximeter', '749.00'),
    ],
  },
  {
    id: 'shop-neighbourhood-pharmacy',
    descriptor: { name: 'Neighbourhood Pharmacy' },
    items: [
      ware('np-first-aid', 'First aid kit', '449.00'),
      ware('np-vitamin-d', 'Vitamin D, 60 tablets', '320.00'),
      ware('np-ors', 'Oral rehydration salts, 10 sachets', '210.00'),
    ],
  },
  {
    id: 'shop-wellness',
    descriptor: { name: 'Wellness Corner' },
    items: [
      ware('wc-yoga', 'Yoga class, one month', '1200.00'),
      ware('wc-checkup', 'Full body check-up at home', '1499.00'),
      ware('wc-counselling', 'Diet counselling, one session', '600.00'),
    ],
  },
];

/** The items whose texts contain every word of the query; providers without such items are left out. */
export const offersFor = <Provider extends CatalogProvider>(
  { item }: Intent,
  providers: readonly Provider[],
  textsOf: (item: Provider['items'][number], provider: Provider) => readonly (string | undefined)[],
): readonly CatalogProvider[] => {
  const query = item?.descriptor?.name;
  const words = (typeof query === 'string' ? query : '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return providers
    .map((provider) => ({
      ...provider,
      items: provider.items.filter((candidate) => {
        const text = textsOf(candidate, provider).join(' ').toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ items }) => items.length > 0);
};
