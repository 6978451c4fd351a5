import { z } from 'zod'
import { Baselines, DataConfig, LoopConfig, ModelConfig, ReportTexts } from '../../src/index.js'
import { HEAD } from '../generated.js'
import { cell, resolved, type Schema, typeName } from './schema-text.js'

/** Reference page of the training configuration: every key with its type, default and description. */
export function configurationPage(): string {
  const sections = { data: DataConfig, model: ModelConfig, training: LoopConfig }
  const tables = Object.entries(sections).map(
    ([name, schema]) =>
      `## ${name}\n\n${table(name, resolved(z.toJSONSchema(schema, { io: 'input' }) as Schema))}`,
  )
  return `${HEAD}# Training configuration

Six keys are enough to start. The other keys have a default or are inferred (\`null\`). Unknown keys are rejected.

${tables.join('\n')}
## baselines

${baselines()}
## report

Texts that reports print instead of "not provided". They are plain text and do not affect a training. A dataset and the node
GenerateReport have the same keys. A report uses the text of the node, otherwise of the configuration, otherwise of the dataset.

${texts()}`
}

function table(section: string, { properties = {}, required = [] }: Schema): string {
  const lines = Object.entries(properties).map(([key, schema]) => {
    const fallback = required.includes(key) ? '**required**' : `\`${JSON.stringify(schema.default ?? null)}\``
    return `| \`${section}.${key}\` | ${cell(typeName(schema))} | ${cell(fallback)} | ${cell(schema.title ?? '')} |`
  })
  return `| key | type | default | meaning |\n|---|---|---|---|\n${lines.join('\n')}\n`
}

/** The root key outside the sections. */
function baselines(): string {
  const schema = resolved(z.toJSONSchema(Baselines, { io: 'input' }) as Schema)
  const facts = [typeName(schema), JSON.stringify(schema.default), schema.title ?? ''].map(cell)
  return `| key | type | default | meaning |\n|---|---|---|---|\n| \`baselines\` | ${facts[0]} | \`${facts[1]}\` | ${facts[2]} |\n`
}

function texts(): string {
  const { properties = {} } = resolved(z.toJSONSchema(ReportTexts, { io: 'input' }) as Schema)
  const lines = Object.entries(properties).map(
    ([key, { title = '', maxLength }]) => `| \`report.${key}\` | ${maxLength} | ${cell(title)} |`,
  )
  return `| key | maximum length | text |\n|---|---|---|\n${lines.join('\n')}\n`
}
