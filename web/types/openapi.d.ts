/** The parts of an OpenAPI 3.1 document that the API reference reads. */
export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  components?: {
    schemas?: Record<string, Schema>;
    responses?: Record<string, Response | Ref>;
    parameters?: Record<string, Parameter | Ref>;
    securitySchemes?: Record<string, SecurityScheme>;
  };
  security?: Record<string, string[]>[];
  /** Every error name with its status and when it is given. */
  "x-errors"?: { name: string; status: number; when: string }[];
}

export interface Ref {
  $ref: string;
}

export type PathItem = { parameters?: (Parameter | Ref)[] } & Partial<Record<Method, RawOperation>>;

export type Method = "get" | "post" | "put" | "patch" | "delete" | "head" | "options";

export interface RawOperation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: (Parameter | Ref)[];
  requestBody?: { description?: string; required?: boolean; content: Content };
  responses?: Record<string, Response | Ref>;
  security?: Record<string, string[]>[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  description?: string;
  required?: boolean;
  deprecated?: boolean;
  schema?: Schema;
  explode?: boolean;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Response {
  description?: string;
  headers?: Record<string, { description?: string; schema?: Schema }>;
  content?: Content;
}

export type Content = Record<string, Media>;

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Example {
  summary?: string;
  value?: unknown;
}

export interface SecurityScheme {
  type: string;
  scheme?: string;
  name?: string;
  in?: string;
  description?: string;
}

export interface Schema {
  $ref?: string;
  title?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: boolean | Schema;
  prefixItems?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  deprecated?: boolean;
}

/** One operation, flattened from its path. */
export interface Operation {
  id: string;
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description: string;
  deprecated: boolean;
  parameters: Parameter[];
  body: { description: string; required: boolean; type: string; media: Media } | null;
  responses: { status: string; response: Response }[];
}
