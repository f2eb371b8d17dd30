// Generates TypeScript types from the schemas of the API document.

/** The schema name of a `$ref`. */
export const named = (schema) => schema.$ref?.split('/').at(-1);

/** Splits a schema into its nullability and the rest. */
export function withoutNull(schema) {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return { nullable: types.length < schema.type.length, schema: { ...schema, type: types[0] } };
  }
  if (schema.oneOf?.some(({ type }) => type === 'null')) {
    const others = schema.oneOf.filter(({ type }) => type !== 'null');
    return { nullable: true, schema: others.length === 1 ? others[0] : { ...schema, oneOf: others } };
  }
  return { nullable: false, schema };
}

const comment = (text, indent) => {
  if (!text) return '';
  const lines = text.trim().split('\n').map((line) => line.trim());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`;
};

/** Sorts properties by name, so that their order in the document does not matter. */
export const sorted = (properties) => Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));

function fields(schema, indent) {
  const required = new Set(schema.required);
  return sorted(schema.properties).map(([name, field]) => {
    const optional = !required.has(name);
    const type = typeOf(field, indent);
    return `${comment(field.description, indent)}${indent}${name}${optional ? '?' : ''}: ${type}${optional ? ' | undefined' : ''};\n`;
  }).join('');
}

function typeOf(schema, indent) {
  const { nullable, schema: inner } = withoutNull(schema);
  const type = plainType(inner, indent);
  return nullable ? `${type} | null` : type;
}

function plainType(schema, indent) {
  if (schema.$ref) return named(schema);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.oneOf) return schema.oneOf.map((one) => typeOf(one, indent)).join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => typeOf(one, indent)).join(' & ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
      return schema.type;
    case 'array': {
      const item = typeOf(schema.items, indent);
      return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      if (schema.properties) return `{\n${fields(schema, `${indent}  `)}${indent}}`;
      if (schema.additionalProperties) return `Record<string, ${typeOf(schema.additionalProperties, indent)}>`;
      return 'Record<string, unknown>';
    default:
      return 'unknown';
  }
}

/** One declaration per schema, by name. */
export function typesOf({ components: { schemas } }) {
  const declarations = Object.keys(schemas).sort().map((name) => {
    const schema = schemas[name];
    const head = comment(schema.description, '');
    if (schema.type === 'object' && schema.properties) return `${head}export interface ${name} {\n${fields(schema, '  ')}}\n`;
    return `${head}export type ${name} = ${typeOf(schema, '')};\n`;
  });
  return declarations.join('\n');
}
