type Value = string | number | boolean | readonly (string | number)[] | null | undefined;

/** The address of a path under `base`: each segment is escaped, lists are joined by commas, what was not given is left out. */
export function url(base: string, segments: readonly (string | number)[], query: Record<string, Value> = {}): string {
  // A segment of dots would climb out of its place, however it is escaped.
  const path = segments.map((segment) => `/${encodeURIComponent(/^\.{1,2}$/.test(String(segment)) ? '' : segment)}`);
  const pairs = Object.entries(query).filter(([, value]) => value != null && String(value) !== '');
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return base + path.join('') + (pairs.length > 0 ? `?${search}` : '');
}
