// Generates compact constants against which the SDK checks responses.
import { named, sorted, withoutNull } from './interfaces.js';
import { isChecked } from './required.js';

/** The names of all schemas in responses. Requests are checked by the service. */
export function responseSchemas({ paths, components: { schemas } }) {
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

/** Merges the parts of `allOf` into one object schema. */
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

/** The discriminant of a union: a field with a single enum value in each member. */
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
      // Fractions are accepted even for integers.
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
  const requiredFields = new Set(required);
  return sorted(properties).flatMap(([name, field]) => {
    const optional = !requiredFields.has(name) || withoutNull(field).nullable;
    const text = shape(field, schemas);
    // Optional fields are not checked, unless their schema has required fields.
    if (text === "'*'" || (optional && !/^\[?(\w+)\]?$/.test(text)) || (optional && !isChecked(text.replace(/\W/g, '')))) return [];
    return `${optional ? `'${name}?'` : name}: ${text}`;
  }).join(', ');
}

/** One constant per schema, in order of dependency. */
export function shapesOf(document) {
  const { schemas } = document.components;
  const names = [...responseSchemas(document)].sort();
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
