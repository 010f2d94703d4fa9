/** One input that an automation takes, as its document declares it. */
export interface Input {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type of a JSON Schema in a word or two; nothing where it says none. */
function typeOf(schema: unknown): string {
  if (!isObject(schema)) return '';
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  const { type } = schema;
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : '';
}

/** The inputs of a pawl-automation@1 document, in the order of its schema. */
export function inputsOf(document: unknown): Input[] {
  const schema = isObject(document) && isObject(document.inputs) ? document.inputs : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const declared = Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeOf(property),
    required: required.includes(name),
    description: isObject(property) && typeof property.description === 'string' ? property.description : '',
  }));
  const bare = required.filter((name) => typeof name === 'string' && !(name in properties));
  return [...declared, ...bare.map((name) => ({ name: String(name), type: '', required: true, description: '' }))];
}

/** The value to start typing from. */
function emptyOf(type: string): unknown {
  const empty: Record<string, unknown> = { string: '', array: [], object: {}, boolean: false, number: 0, integer: 0 };
  return empty[type] ?? null;
}

/** A text to start from: the required inputs with empty values. */
export function startText(inputs: Input[]): string {
  const required = inputs.filter((input) => input.required);
  return JSON.stringify(Object.fromEntries(required.map((input) => [input.name, emptyOf(input.type)])), null, 2);
}
