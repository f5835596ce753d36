import './meter.css';

interface MeterProps {
  /** What is measured, for screen readers. */
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The value in words, such as "$50 of $200". */
  readonly text: string;
}

/** How much of a maximum is reached. A maximum of 0 is reached from the start. */
export const Meter = ({ label, value, max, text }: MeterProps) => {
  const reached = Math.min(Math.max(value, 0), max);
  const share = max > 0 ? reached / max : 1;
  return (
    // SVG: the width of an element would be an inline style, which the Content-Security-Policy forbids.
    <svg
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={reached}
      aria-valuetext={text}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
    >
      <rect className="track" width="100" height="4" />
      <rect className={share === 1 ? 'full' : 'fill'} width={share * 100} height="4" />
    </svg>
  );
};
