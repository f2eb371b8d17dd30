// What each answer must have, as small constants that the SDK holds answers against.
import { named, sorted, withoutNull } from './interfaces.js';
import { isChecked } from './required.js';

/** Only what answers can hold: requests are checked by the service. */
export function answered({ paths, components: { schemas } }) {
  const found = new Set();
  const visit = (value) => {
    if (value === null || typeof value !== 'object') return;
    const name = named(value);
    if (name && !found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
    Object.values(value).forEach(visit);
  };
  for (const operation of Object.values(paths).flatMap(Object.values)) visit(operation.responses['200']?.content);
  return found;
}

/** All fields of an object, whatever it is put together from. */
function flat(schema, schemas) {
  const target = schema.$ref ? schemas[named(schema)] : schema;
  if (!target.allOf) return target;
  const parts = target.allOf.map((part) => flat(part, schemas));
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

/** The field that tells the members of a union apart, where each has it with one value of its own. */
function tag(members) {
  const single = (member, name) => member.properties[name]?.enum?.length === 1;
  return Object.keys(members[0].properties).find((name) => members.every((member) => single(member, name)));
}

function union(members, schemas) {
  const all = members.map((member) => flat(member, schemas));
  const name = tag(all);
  if (name) {
    const cases = all.map((member) => `${member.properties[name].enum[0]}: ${shape(member, schemas)}`);
    return `{ '|': '${name}', ${cases.join(', ')} }`;
  }
  const properties = Object.assign({}, ...all.map((member) => member.properties));
  return shape({ type: 'object', properties, required: [] }, schemas);
}

function shape(schema, schemas) {
  const { schema: inner } = withoutNull(schema);
  const target = inner.$ref && schemas[named(inner)];
  if (target?.enum) return "'s'";
  if (inner.$ref) return named(inner);
  if (inner.enum) return "'s'";
  if (inner.allOf) return shape(flat(inner, schemas), schemas);
  if (inner.oneOf) return union(inner.oneOf, schemas);
  switch (inner.type) {
    case 'string':
    case 'boolean':
      return `'${inner.type[0]}'`;
    case 'integer':
    case 'number':
      // A service may count in fractions where we do not.
      return "'n'";
    case 'array':
      return `[${shape(inner.items, schemas)}]`;
    case 'object':
      if (inner.properties) return `{ ${fields(inner, schemas)} }`.replace('{  }', '{}');
      return inner.additionalProperties ? `{ '*': ${shape(inner.additionalProperties, schemas)} }` : "'o'";
    default:
      return "'*'";
  }
}

function fields({ properties, required = [] }, schemas) {
  const must = new Set(required);
  return sorted(properties).flatMap(([name, field]) => {
    const optional = !must.has(name) || withoutNull(field).nullable;
    const text = shape(field, schemas);
    // What may be missing is handed on as it came, unless something in it is required.
    if (text === "'*'" || (optional && !/^\[?(\w+)\]?$/.test(text)) || (optional && !isChecked(text.replace(/\W/g, '')))) return [];
    return `${optional ? `'${name}?'` : name}: ${text}`;
  }).join(', ');
}

/** One constant per schema, those that others use first. */
export function shapesOf(document) {
  const { schemas } = document.components;
  const names = [...answered(document)].sort();
  const done = new Map();
  const write = (name) => {
    if (done.has(name)) return;
    done.set(name, '');
    const text = shape(schemas[name], schemas);
    for (const other of names) if (new RegExp(`\\b${other}\\b`).test(text)) write(other);
    done.delete(name);
    done.set(name, `export const ${name} = ${text} as const;\n`);
  };
  for (const name of names) if (!schemas[name].enum) write(name);
  return [...done.values()].join('');
}
