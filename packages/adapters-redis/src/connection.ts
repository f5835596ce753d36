/** Of every connection to Redis: it comes back by itself, and what cannot be sent at once fails at once. */
export const connectionOptions = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: 50_000,
  // An idle connection that is dead without a word is found out by the pings that get no answer.
  pingInterval: 1000,
  socket: {
    connectTimeout: 2000,
    socketTimeout: 5000,
    reconnectStrategy: (retries: number) => Math.min(25 * 2 ** retries, 1000),
  },
} as const;
