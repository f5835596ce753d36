import { CoreSignal } from './signal.ts';

class ObservedSignal extends CoreSignal {
  readonly listeners = new Set<() => void>();

  override addEventListener(type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
    super.addEventListener(type, listener);
  }

  override removeEventListener(type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
    super.removeEventListener(type, listener);
  }
}

/** A client that can disconnect, and the number of listeners on its signal. */
export const observedClient = () => {
  const signal = new ObservedSignal();
  return {
    signal,
    disconnect: () => signal.abort(),
    get listeners() {
      return signal.listeners.size;
    },
  };
};
