type Value = string | number | boolean | readonly (string | number)[] | null | undefined;

/** Builds a URL under `base`. Escapes each segment, joins lists with commas and omits empty parameters. */
export function url(base: string, segments: readonly (string | number)[], query: Record<string, Value> = {}): string {
  // `.` and `..` are resolved as path traversal even when they are escaped.
  const path = segments.map((segment) => `/${encodeURIComponent(/^\.{1,2}$/.test(String(segment)) ? '' : segment)}`);
  const pairs = Object.entries(query).filter(([, value]) => value != null && String(value) !== '');
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return base + path.join('') + (pairs.length > 0 ? `?${search}` : '');
}
