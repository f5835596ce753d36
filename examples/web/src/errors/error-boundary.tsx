import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** The value that the children show. They are rendered again when it changes. */
  readonly value: unknown;
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

/**
 * Shows the fallback if a value cannot be rendered: responses of services have no guaranteed shape. A class, because React
 * has no hook for it.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly hasFailed: boolean }> {
  static getDerivedStateFromError = () => ({ hasFailed: true });

  override readonly state = { hasFailed: false };

  override componentDidUpdate(previous: ErrorBoundaryProps): void {
    // oxlint-disable-next-line react/no-did-update-set-state -- only after a failure, once per value
    if (this.state.hasFailed && previous.value !== this.props.value) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
