import { describeCatalog, NODE_GROUPS, NODES, type NodeRecord } from '../../src/index.js'
import { HEAD } from '../generated.js'
import { cell, type Schema, typeName } from './schema-text.js'

/** Reference page of the node catalog: ports, fields and conversions. */

export function nodesPage(): string {
  const catalog = describeCatalog(NODES)
  const groups = NODE_GROUPS.map(
    (group) =>
      `## ${group}\n\n${catalog.nodes
        .filter((node) => node.group === group)
        .map(section)
        .join('\n')}`,
  )
  const conversions = catalog.conversions
    .filter(({ from, to }) => from !== to && to !== 'any')
    .map(({ from, to, how }) => `| ${from} | ${to} | ${how} |`)
  return `${HEAD}# Nodes

This page lists the catalog that \`GET /api/nodes\` returns. A field without a default is required. A field with a key of the
[training configuration](configuration.md) has the range and default of that key.

${groups.join('\n')}
## Port types and conversions

Port types: ${catalog.port_types.map((type) => `\`${type}\``).join(', ')}. Composite types: ${Object.entries(
    catalog.composites,
  )
    .map(([name, parts]) => `\`${name}\` = ${parts.join(' + ')}`)
    .join(', ')}.
A value is passed on unchanged to a port of its own type or of type \`any\`. A port of type \`dataset\`, \`multimodal\` or \`training_data\`
accepts one connection, or one connection of images and one of a table, which it joins by case id. A port of type \`training_data\` also
accepts the training configuration. Conversions keep the complete value.

| from | to | how |
|---|---|---|
${conversions.join('\n')}
`
}

function section(node: NodeRecord): string {
  const inputs = node.inputs.map(
    ({ name, type, kind, optional, multiple }) =>
      `\`${name}\` ${typeOf(type, kind)}${optional ? ', optional' : ''}${multiple ? ', repeatable' : ''}`,
  )
  const outputs = node.outputs.map(({ name, type, kind }) => `\`${name}\` ${typeOf(type, kind)}`)
  const { properties = {}, required = [] } = node.config as Schema
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `| \`${name}\` | ${cell(typeName(schema))} | ${
        required.includes(name) ? '**required**' : `\`${cell(JSON.stringify(defaultOf(schema)))}\``
      } | ${cell(schema.description ?? '')} | ${schema.training_key ? `\`${schema.training_key}\`` : ''} |`,
  )
  return `### ${node.type}

${node.summary} Runs in the ${PLACES[node.runs]}; uses ${node.resource}.

In: ${inputs.join(' · ') || 'nothing'}. Out: ${outputs.join(' · ')}.
${
  fields.length === 0
    ? '\nNo configuration.\n'
    : `
| field | type | default | meaning | training key |
|---|---|---|---|---|
${fields.join('\n')}
`
}`
}

const PLACES = { service: 'service', worker: 'Python worker', job: 'training process of a job' } as const

function typeOf(type: string, kind: string | null): string {
  return kind ? `(${type}: ${kind})` : `(${type})`
}

function defaultOf(schema: Schema): unknown {
  if (!schema.properties) return schema.default ?? null
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, inner]) => [name, inner.default ?? null]),
  )
}
