import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { Recipe as RecipeSchema } from '../../packages/contracts/src/configuration/recipe/index.js'
import { inEnglish } from '../../packages/contracts/src/phrases/index.js'

type Recipe = Readonly<Record<string, unknown>>
interface Template {
  readonly title: string
  readonly source: string
  readonly layouts: readonly {
    readonly recognized_by: readonly { path: string }[]
    readonly recipe?: Recipe
  }[]
  readonly recipe: Recipe
  readonly settings?: { readonly data?: Recipe; readonly model?: Recipe }
  readonly questions: readonly { key: string; text: string; options?: readonly { title: string }[] }[]
  readonly if_present?: {
    readonly ignore_columns?: readonly string[]
    readonly missing?: Readonly<Record<string, readonly string[]>>
  }
  readonly unverified?: string
}

const FOLDER = resolve(import.meta.dirname, '../../trainer/src/medloom_trainer/data/tables/recipe/templates')
const WIDTH = 120
const HEAD = `<!-- Generated from the templates of the trainer by "npm run generate"; do not edit. -->

# Published datasets

Medloom recognizes the layouts of these datasets by the names of their files and columns. For each it has a template: a
[recipe](reading-data.md#recipes), settings, and the questions that only a person can decide. Every template is tested on a miniature of its
dataset, from the folder to an evaluated model. The data themselves are not part of Medloom; each has its own terms of use.
`

/** The page of the datasets with a template. */
export function publishedSetsPage(): string {
  const templates = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Template)
    .sort((one, other) => one.title.localeCompare(other.title, 'en'))
  const rows = templates.map((template) => {
    const isComplete = 'label' in template.recipe || template.layouts.every(({ recipe }) => recipe?.label)
    const asks = template.questions.length === 1 ? '1 question' : `${template.questions.length} questions`
    return `| [${template.title}](#${anchorOf(template.title)}) | ${isComplete ? 'yes' : 'once the label is chosen'} | ${asks} |`
  })
  const table = ['| Dataset | Trains as it is | Decisions |', '|---|---|---|', ...rows].join('\n')
  return `${[HEAD, table, ...templates.map(sectionOf)].join('\n')}\n`
}

function sectionOf(template: Template): string {
  const [first] = template.layouts
  if (first === undefined) throw new Error(`${template.title} has no layout`)
  const files = first.recognized_by.map(({ path }) => `\`${path}\``).join(', ')
  const others = template.layouts.length - 1
  const more = others === 0 ? '' : others === 1 ? ' (and 1 other layout)' : ` (and ${others} other layouts)`
  return `
## ${template.title}

Recognized by ${files}${more}.

${template.questions.map(({ key, text, options }) => `- \`${key}\`: ${textOf(text)}${optionsOf(options)}`).join('\n')}

\`\`\`yaml
${linesOf(template, first.recipe ?? {}).join('\n')}
\`\`\`
${conditionsOf(template)}
Source: ${template.source}.${template.unverified ? ` Not compared with a copy of the dataset: ${template.unverified}` : ''}`
}

/** The configuration of a template, with the recipe in the order of its steps. */
function linesOf({ recipe, settings = {} }: Template, own: Recipe): string[] {
  const whole: Recipe = { version: 1, ...recipe, ...own }
  const steps = Object.keys(RecipeSchema.shape).filter((key) => whole[key] !== undefined)
  const { data = {}, model = {} } = settings
  return [
    'data:',
    '  recipe:',
    ...steps.flatMap((key) => entry(key, whole[key], 4)),
    ...Object.entries(data).flatMap(([key, value]) => entry(key, value, 2)),
    ...(Object.keys(model).length > 0 ? ['model:'] : []),
    ...Object.entries(model).flatMap(([key, value]) => entry(key, value, 2)),
  ]
}

/** A key with its value: on one line, if it is short. */
function entry(key: string, value: unknown, indent: number): string[] {
  const pad = ' '.repeat(indent)
  const flow = stringify({ [key]: value }, { collectionStyle: 'flow', lineWidth: 0 }).trim()
  const line = flow.slice(2, -2)
  if (line.length <= WIDTH || !Array.isArray(value)) return [`${pad}${line}`]
  const items = value.map((item) => stringify(item, { collectionStyle: 'flow', lineWidth: 0 }).trim())
  if (typeof value[0] !== 'string') return [`${pad}${key}:`, ...items.map((item) => `${pad}  - ${item}`)]
  return [`${pad}${key}: [`, ...wrapped(items, WIDTH).map((text) => `${pad}  ${text}`), `${pad}]`]
}

function wrapped(items: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const item of items.map((text) => `${text},`)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + item.length < width) lines[lines.length - 1] = `${last} ${item}`
    else lines.push(item)
  }
  return lines
}

function conditionsOf({ if_present = {} }: Template): string {
  const codes = new Map<string, string[]>()
  for (const [name, texts] of Object.entries(if_present.missing ?? {}))
    codes.set(texts.join(', '), [...(codes.get(texts.join(', ')) ?? []), name])
  const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  return [
    ...(if_present.ignore_columns ? [`Ignored, if present: ${listed(if_present.ignore_columns)}.`] : []),
    ...[...codes].map(([texts, names]) => `Missing (${texts}), if present: ${listed(names)}.`),
  ]
    .map((line) => `\n${line}\n`)
    .join('')
}

function optionsOf(options: readonly { title: string }[] = []): string {
  return options.length === 0 ? '' : ` Options: ${options.map(({ title }) => textOf(title)).join('; ')}.`
}

/** The English text of a phrase of the templates. */
function textOf(code: string): string {
  return inEnglish([{ code }])
}

/** The anchor that Markdown gives a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}
