import type { AdapterFactory, AdapterPayload } from 'oidc-provider';

/** State of the provider. It outlives the provider instance, which is replaced when keys rotate. */
export const memoryRecords = (): AdapterFactory => {
  const records = new Map<string, AdapterPayload>();
  return (model) => ({
    async upsert(id, payload) {
      records.set(`${model}:${id}`, payload);
    },
    async find(id) {
      return records.get(`${model}:${id}`);
    },
    async findByUid(uid) {
      return [...records.values()].find((record) => record.kind === model && record.uid === uid);
    },
    async findByUserCode(userCode) {
      return [...records.values()].find((record) => record.userCode === userCode);
    },
    async consume(id) {
      const record = records.get(`${model}:${id}`);
      if (record) record.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      records.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [id, record] of records) if (record.grantId === grantId) records.delete(id);
    },
  });
};
