/**
 * The required shape of a JSON value: `s`tring, `b`oolean, `n`umber, `o`bject or `*` for anything. `[x]` is an array of `x`. An object
 * lists its fields; those with `?` may be missing or null. `{ '*': x }` is a map. `{ '|': field, … }` is a union with that discriminant.
 */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

const TYPES: Record<string, string> = { s: 'string', b: 'boolean', n: 'number', o: 'object' };

/** Describes the first mismatch between `value` and `shape`; `undefined` if they match. */
export function mismatch(value: unknown, shape: Shape, at = ''): string | undefined {
  const not = (type: string) => `${at || 'it'} is ${value === undefined ? 'missing' : `not ${type}`}`;
  if (typeof shape === 'string') {
    const type = TYPES[shape];
    return !type || (typeof value === type && value !== null) ? undefined : not(`${type === 'object' ? 'an' : 'a'} ${type}`);
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return not('an array');
    return first(value.keys(), (index) => mismatch(value[index], (shape as readonly [Shape])[0], `${at}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return not('an object');
  const fields = value as Record<string, unknown>;
  const dot = at && `${at}.`;
  const { '|': tag, '*': all, ...members } = shape as { readonly [field: string]: Shape };
  if (all) return first(Object.keys(fields), (name) => mismatch(fields[name], all, dot + name));
  if (tag) {
    const chosen = String(fields[tag as string]);
    return Object.hasOwn(members, chosen) ? mismatch(value, members[chosen]!, at) : `${dot}${tag as string} has an unknown value`;
  }
  return first(Object.keys(members), (key) => {
    const name = key.replace('?', '');
    return name !== key && fields[name] == null ? undefined : mismatch(fields[name], members[key]!, dot + name);
  });
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}
