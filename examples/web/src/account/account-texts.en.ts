export const account = {
  title: 'Account',
  lead: 'How we can reach you, and what you allow us to do with your data.',
  contact: {
    title: 'Contact details',
    name: 'Name',
    address: 'Address',
    edit: 'Edit contact details',
    save: 'Save contact details',
    emailHint: 'For example name@example.com',
    phoneHint: 'For example +1 555 010 0100',
    optional: (label: string) => `${label} (optional)`,
    fields: {
      email: 'Email',
      phone: 'Phone',
      line1: 'Street and number',
      line2: 'Apartment, suite',
      city: 'City',
      state: 'State',
      postalCode: 'Postal code',
    },
    missing: {
      email: 'Enter your email address',
      phone: 'Enter your phone number',
      line1: 'Enter your street and number',
      city: 'Enter your city',
      state: 'Enter your state',
      postalCode: 'Enter your postal code',
    },
    invalidEmail: 'Enter an email address in the correct format, like name@example.com',
    invalidPhone: 'Enter a phone number with 7 to 15 digits, like +1 555 010 0100',
  },
  consent: {
    title: 'Consent',
    none: 'You have no consents to manage.',
    yes: 'Yes, I agree',
    no: 'No, I do not agree',
    save: 'Save consent',
    fixed: 'You cannot change this here. Contact us to change it.',
    purposes: {
      'share-with-providers': 'Share with providers',
      'electronic-delivery': 'Electronic delivery',
      'care-management': 'Care management',
      marketing: 'Marketing',
      research: 'Research',
    },
    explanations: {
      'share-with-providers':
        'Doctors and clinics that treat you can see your coverage and your claims, so that you need not bring these records.',
      'electronic-delivery':
        'You get explanations of benefits and letters here instead of on paper. If you do not agree, we send them by post.',
      'care-management':
        'Our nurses may look at your claims and contact you to help with a long illness or after surgery.',
      marketing: 'We may send you offers for our other products. Your coverage does not depend on your choice.',
      research: 'Researchers may use your data without your name, address and date of birth to improve care.',
    },
    states: {
      granted: (date: string | undefined) => (date ? `You agreed on ${date}.` : 'You agreed.'),
      denied: (date: string | undefined) => (date ? `You did not agree on ${date}.` : 'You did not agree.'),
      withdrawn: (date: string | undefined) =>
        date ? `You withdrew your consent on ${date}.` : 'You withdrew your consent.',
    },
    notChosen: 'You have not chosen yet.',
    version: (version: string) => `Consent text version ${version}.`,
    confirm: {
      title: 'Change your consent?',
      granted: (purpose: string) => `${purpose}: you agree.`,
      denied: (purpose: string) => `${purpose}: you do not agree.`,
      withdrawn: (purpose: string) => `${purpose}: you withdraw your consent.`,
      later: 'You can change this at any time. A withdrawal does not affect what was done before.',
      confirm: 'Confirm',
    },
  },
};
