import type { ServiceName } from '@portico/core';

/** The services with routes of their own. Listed here instead of imported: the help must load neither core nor adapters. */
export const builtInServices = Object.keys({
  eligibility: true,
  claims: true,
  documents: true,
  policy: true,
  notifications: true,
  consent: true,
} satisfies Record<ServiceName, true>) as ServiceName[];

export const isBuiltIn = (name: string): name is ServiceName => (builtInServices as readonly string[]).includes(name);
