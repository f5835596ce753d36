import { describeSellerFaults } from './seller-faults.ts';

describeSellerFaults('moa');
