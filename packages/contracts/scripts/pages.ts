import { z } from 'zod'
import {
  DataConfig,
  JOB_TRANSITIONS,
  JobMessage,
  LIMITS,
  LoopConfig,
  ModelConfig,
  ROUTES,
  type RouteDeclaration,
} from '../src/index.js'
import { GENERATED } from './generated.js'

/** The reference pages. Each says in its first line that it is generated. */
const HEAD = `<!-- ${GENERATED} -->\n\n`

type Schema = {
  properties?: Record<string, Schema>
  required?: string[]
  title?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  oneOf?: { $ref?: string | undefined }[]
}
type Document = Schema & { $ref?: string | undefined; $defs?: Record<string, Schema> }

export function configurationPage(): string {
  const sections = [
    ['data', DataConfig],
    ['model', ModelConfig],
    ['training', LoopConfig],
  ] as const
  const tables = sections.map(([name, schema]) => {
    const { properties = {}, required = [] } = deref(z.toJSONSchema(schema, { io: 'input' }) as Document)
    return `## ${name}\n\n${rows(name, properties, required)}`
  })
  return `${HEAD}# Training configuration

Six keys are enough to start; the others have a default or are inferred (\`null\`). Unknown keys are refused.

${tables.join('\n')}`
}

function rows(prefix: string, properties: Record<string, Schema>, required: string[]): string {
  const lines = Object.entries(properties).map(([key, schema]) => {
    const fallback = required.includes(key) ? '**required**' : `\`${JSON.stringify(schema.default ?? null)}\``
    return `| \`${prefix}.${key}\` | ${escapePipes(typeName(schema))} | ${escapePipes(fallback)} | ${escapePipes(schema.title ?? '')} |`
  })
  return `| key | type | default | meaning |\n|---|---|---|---|\n${lines.join('\n')}\n`
}

function typeName(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ')
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' | ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeName).join(', ')}]`
  if (schema.type === 'array') return `list of ${typeName(schema.items ?? {})}`
  if (schema.type === 'object' && schema.properties)
    return `{${Object.entries(schema.properties)
      .map(([key, inner]) => `${key}: ${typeName(inner)}`)
      .join(', ')}}`
  const low = schema.minimum ?? schema.exclusiveMinimum
  const bounds =
    schema.type === 'integer' || schema.type === 'number'
      ? `${low !== undefined ? ` ${schema.exclusiveMinimum !== undefined ? '>' : '≥'} ${low}` : ''}${schema.maximum !== undefined ? `, ≤ ${schema.maximum}` : ''}`
      : ''
  return `${schema.type ?? 'any'}${bounds}`
}

export function routesPage(): string {
  const lines = Object.values(ROUTES as Record<string, RouteDeclaration>).map(
    (route) => `| ${route.method} | \`${route.path}\` | ${route.summary} |`,
  )
  const limits = Object.entries(LIMITS).map(([name, value]) => `| ${name} | ${value} |`)
  return `${HEAD}# Routes

The full description is served at \`/openapi.json\` and shown at \`/docs\`.

| method | path | what it does |
|---|---|---|
${lines.join('\n')}

## Job status

| from | to |
|---|---|
${Object.entries(JOB_TRANSITIONS)
  .map(([from, to]) => `| ${from} | ${to.join(', ') || '– (final)'} |`)
  .join('\n')}

## Limits

| limit | value |
|---|---|
${limits.join('\n')}
`
}

export function eventsPage(): string {
  const document = z.toJSONSchema(JobMessage) as Document
  const lines = (deref(document).oneOf ?? []).map((entry) => {
    const { type, ...fields } = deref({ ...document, $ref: entry.$ref }).properties ?? {}
    return `| \`${type?.const}\` | ${Object.keys(fields)
      .map((field) => `\`${field}\``)
      .join(', ')} |`
  })
  return `${HEAD}# Messages of a training job

On \`/ws/training/{job_id}\`. \`seq\` is dense per job. \`?since=N\` replays what follows N. Exactly one terminal message
(\`completed\` or \`error\`) ends the stream, then the server closes with 1000.

| type | fields |
|---|---|
${lines.join('\n')}
`
}

/** The schema that the root of a document points at. */
function deref(document: Document): Schema {
  return document.$defs?.[document.$ref?.split('/').at(-1) ?? ''] ?? document
}

function escapePipes(text: string): string {
  return text.replaceAll('|', '\\|')
}
