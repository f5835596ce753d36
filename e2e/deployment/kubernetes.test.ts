import { variables } from '@portico/cli/internals';
import { describe, expect, it } from 'vitest';
import { configCheck } from './config-check.ts';
import { type EnvironmentVariable, type Manifest, manifests, podTemplateOf } from './manifests.ts';
import { blockOf } from '../project-file.ts';

const all = manifests();
const ofKind = (kind: string): Manifest => {
  const found = all.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`There is no ${kind}.`);
  return found;
};
const podTemplates = all.flatMap((manifest) => podTemplateOf(manifest) ?? []);
const [pod] = podTemplates;
if (pod === undefined) throw new Error('No manifest creates pods.');
const [container] = pod.spec.containers;
if (container === undefined) throw new Error('The pods have no container.');

const settingsFile = ofKind('ConfigMap').data?.['settings.json'] ?? '';
const settings = JSON.parse(settingsFile) as {
  readonly connections: { readonly drainDelayMs: number };
  readonly search?: { readonly timeoutMs?: number };
};
const portOf = (name: string) => container.ports.find((port) => port.name === name)?.containerPort;
const valueOf = (name: string) => container.env.find((variable) => variable.name === name)?.value;

describe('the Kubernetes manifests', () => {
  it('the Kubernetes manifests have every kind of object that an operator needs', () => {
    expect(all.map(({ kind }) => kind).toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodMonitor',
      'Service',
      'ServiceAccount',
    ]);
  });

  it.each(podTemplates)('follow the restricted Pod Security Standard', ({ spec }) => {
    for (const forbidden of ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers', 'initContainers'])
      expect(spec).not.toHaveProperty(forbidden);
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext, ports } of spec.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const port of ports) expect(port).not.toHaveProperty('hostPort');
    }
    for (const volume of spec.volumes) expect(Object.keys(volume).toSorted()).toEqual(['configMap', 'name']);
  });

  it('set only variables that Portico knows', () => {
    const known = new Set(variables.map(({ env }) => env));
    expect(container.env.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  it('the Kubernetes manifests have settings that Portico accepts, with and without the Redis secret', async () => {
    const env = Object.fromEntries(
      container.env.flatMap(({ name, value }: EnvironmentVariable) => (value === undefined ? [] : [[name, value]])),
    );
    for (const redis of [{}, { REDIS_URL: 'redis://redis:6379' }])
      expect(await configCheck(settingsFile, { ...env, ...redis })).toMatchObject({ exitCode: 0 });
  });

  it('start pods also where no Secret has the URL of Redis', () => {
    const secrets = container.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    expect(secrets).toEqual([{ name: 'portico-redis', key: 'url', optional: true }]);
  });

  it('name ports that Portico listens on, for the Service, the Ingress, the probes and the metrics', () => {
    expect([portOf('http'), portOf('metrics')]).toEqual([Number(valueOf('PORT')), Number(valueOf('METRICS_PORT'))]);
    expect([valueOf('HOST'), valueOf('METRICS_HOST')]).toEqual(['0.0.0.0', '0.0.0.0']);
    expect(ofKind('Service').spec).toMatchObject({ ports: [{ name: 'http', targetPort: 'http' }] });
    expect(ofKind('PodMonitor').spec).toMatchObject({ podMetricsEndpoints: [{ port: 'metrics' }] });
    expect(JSON.stringify(ofKind('Ingress').spec)).toContain('"service":{"name":"portico","port":{"name":"http"}}');
    const { startupProbe, readinessProbe, livenessProbe } = container;
    expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: '/livez', port: 'http' },
      { path: '/readyz', port: 'http' },
      { path: '/livez', port: 'http' },
    ]);
  });

  it('keep paths and queries out of the access log of the Ingress', () => {
    expect(ofKind('Ingress').metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/enable-access-log': 'false',
    });
  });

  it('accept response headers of the size that the nginx page configures, for session cookies', () => {
    const [, size] = /proxy_buffer_size (\w+);/.exec(blockOf('docs/how-to/nginx.md', 'nginx')) ?? [];
    expect(ofKind('Ingress').metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffer-size': size,
    });
  });

  it('keep the largest request of a member in memory in the Ingress, as the nginx page does', () => {
    const [, size] = /client_body_buffer_size (\w+);/.exec(blockOf('docs/how-to/nginx.md', 'nginx')) ?? [];
    expect(ofKind('Ingress').metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/client-body-buffer-size': size,
    });
  });

  it('mount the settings where the arguments name them', () => {
    const [mount] = container.volumeMounts;
    expect(container.args).toEqual(['serve', '--config', `${mount?.mountPath}/settings.json`]);
    expect(pod.spec.volumes).toEqual([{ name: mount?.name, configMap: { name: ofKind('ConfigMap').metadata.name } }]);
  });

  it('wait once before the pod ends, and long enough for its searches', () => {
    const { drainDelayMs } = settings.connections;
    expect(drainDelayMs).toBeGreaterThan(0);
    expect(container.lifecycle?.preStop).toBeUndefined();
    const searchMs = (settings.search?.timeoutMs ?? 10_000) + 1000;
    expect(pod.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(drainDelayMs + searchMs);
  });

  it('spread the pods, and select them by their label everywhere', () => {
    const label = { 'app.kubernetes.io/name': 'portico' };
    expect(pod.metadata.labels).toMatchObject(label);
    for (const { metadata } of all) expect(metadata.labels, metadata.name).toMatchObject(label);
    expect(pod.spec['topologySpreadConstraints']).toMatchObject([
      { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: label } },
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: label } },
    ]);
    expect(ofKind('Service').spec).toMatchObject({ selector: label });
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'PodMonitor'])
      expect(ofKind(kind).spec, kind).toMatchObject({ selector: { matchLabels: label } });
    expect(ofKind('NetworkPolicy').spec).toMatchObject({ podSelector: { matchLabels: label } });
    expect(ofKind('HorizontalPodAutoscaler').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: ofKind('Deployment').metadata.name },
    });
  });
});
