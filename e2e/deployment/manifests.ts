import { globSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { project, projectFile } from '../project-file.ts';

/** An object of Kubernetes, with what the tests look at. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly optional?: boolean } };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly EnvironmentVariable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle?: { readonly preStop?: unknown };
  readonly securityContext: Readonly<Record<string, unknown>> & { readonly capabilities?: unknown };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly terminationGracePeriodSeconds: number;
    readonly securityContext: Readonly<Record<string, unknown>>;
    readonly containers: readonly Container[];
    readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
  };
}

/** Every object of every manifest in docs/deploy. */
export const manifests = (): readonly Manifest[] =>
  globSync('docs/deploy/{kubernetes,podmonitor}.yaml', { cwd: project }).flatMap((path) =>
    parseAllDocuments(projectFile(path), { strict: true, uniqueKeys: true }).map((document) => {
      if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join('\n')}`);
      return document.toJS() as Manifest;
    }),
  );

/** The pods that a manifest creates, if it creates any. */
export const podTemplateOf = ({ spec }: Manifest): PodTemplate | undefined =>
  spec?.['template'] as PodTemplate | undefined;
