/** Histogram buckets in seconds, from a cached response (1 to 2 ms) to the longest default timeout (10 s). */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
