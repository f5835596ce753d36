// No real NPI begins with 0.
export const familyPractice = {
  name: 'Sample Family Practice',
  npi: '0000000001',
  specialty: 'Family medicine',
  network: 'inNetwork',
} as const;
export const imaging = {
  name: 'Example Imaging Center',
  npi: '0000000002',
  specialty: 'Radiology',
  network: 'inNetwork',
} as const;
export const orthopedics = {
  name: 'Example Orthopedic Group',
  npi: '0000000003',
  specialty: 'Orthopedic surgery',
  network: 'inNetwork',
} as const;
export const hospital = {
  name: 'Sample General Hospital',
  npi: '0000000004',
  specialty: 'Hospital outpatient',
  network: 'inNetwork',
} as const;
export const laboratory = {
  name: 'Specimen Reference Laboratory',
  npi: '0000000005',
  specialty: 'Clinical laboratory',
  network: 'outOfNetwork',
} as const;
export const therapy = {
  name: 'Example Physical Therapy',
  npi: '0000000006',
  specialty: 'Physical therapy',
  network: 'inNetwork',
} as const;
