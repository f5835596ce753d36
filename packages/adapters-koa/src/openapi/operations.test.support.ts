import { fullDocument } from './document.test.support.ts';
import { resolved } from './reference.ts';

/** Every operation of the document, with all of its parameters. */
export const operations = Object.entries(fullDocument.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    path,
    method,
    route: `${method.toUpperCase()} ${path}`,
    operation,
    parameters: (operation.parameters ?? []).map((parameter) =>
      resolved(parameter, fullDocument.components.parameters),
    ),
  })),
);
