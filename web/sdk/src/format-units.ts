/** Formats raw units as a decimal, every digit of it: `1500000` with 6 decimals is `1.5`. */
export function formatUnits(raw: bigint | string, decimals: number): string {
  const digits = String(raw).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const part = digits.slice(point).replace(/0+$/, '');
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  return part ? `${whole}.${part}` : whole;
}
