/**
 * What an answer must be: `s`tring, `b`oolean, `n`umber, `o`bject or `*` for anything; `[x]` is a list of `x`; an object has fields, those with
 * `?` may be missing or null; `{ '*': x }` is a map; `{ '|': field, … }` is told apart by that field.
 */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

const TYPES: Record<string, string> = { s: 'string', b: 'boolean', n: 'number', o: 'object' };

/** Where `value` is not what `shape` says, in words; nothing where it is. */
export function mismatch(value: unknown, shape: Shape, at = ''): string | undefined {
  const unlike = (what: string) => `${at || 'it'} is ${value === undefined ? 'missing' : `no ${what}`}`;
  if (typeof shape === 'string') {
    const type = TYPES[shape];
    return !type || (typeof value === type && value !== null) ? undefined : unlike(type);
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return unlike('list');
    return first(value.keys(), (index) => mismatch(value[index], (shape as readonly [Shape])[0], `${at}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return unlike('object');
  const fields = value as Record<string, unknown>;
  const dot = at && `${at}.`;
  const { '|': tag, '*': all, ...members } = shape as { readonly [field: string]: Shape };
  if (all) return first(Object.keys(fields), (name) => mismatch(fields[name], all, dot + name));
  if (tag) {
    const chosen = String(fields[tag as string]);
    return Object.hasOwn(members, chosen) ? mismatch(value, members[chosen]!, at) : `${dot}${tag as string} is none of the known`;
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
