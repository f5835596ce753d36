import { fullDocument } from './document.test.support.ts';
import type { Operation } from './format.ts';
import { resolved } from './reference.ts';

/** Every operation of the document, with all of its parameters. */
export const operations = Object.entries(fullDocument.paths).flatMap(([path, { parameters = [], ...item }]) =>
  Object.entries(item as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
    path,
    method,
    route: `${method.toUpperCase()} ${path}`,
    operation,
    parameters: [...parameters, ...(operation.parameters ?? [])].map((parameter) =>
      resolved(parameter, fullDocument.components.parameters),
    ),
  })),
);
