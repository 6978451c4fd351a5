import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  CLIENT_ERRORS,
  GENERAL_ERRORS,
  ROUTES,
  type RouteDeclaration,
  type RouteName,
} from '@medloom/contracts'

interface Documented {
  readonly name: string
  readonly text: string
  readonly throws: string | null
  readonly examples: readonly string[]
}

const DOMAINS: Readonly<Record<RouteDeclaration['tag'], string>> = {
  training: 'Training',
  studies: 'Studies',
  models: 'Models',
  aliases: 'Aliases of models',
  evaluations: 'Evaluations',
  predictions: 'Predictions',
  'follow-ups': 'Follow-ups',
  datasets: 'Datasets',
  tasks: 'Tasks',
  files: 'Files',
  workflows: 'Workflows',
  session: 'Login',
  people: 'People',
  system: 'System',
  exchange: 'Nodes without a common folder',
}

/** Reference page of the client, from the JSDoc of its source. `methods` is the text of the generated methods.ts. */
export function clientPage(methods: string): string {
  const source = readFileSync(resolve(import.meta.dirname, '../src/client.ts'), 'utf8')
  const ofRoutes = documented(methods)
  if (ofRoutes.length !== Object.keys(ROUTES).length)
    throw new Error('A method of the client has no documentation.')
  const own = documented(source).filter(({ name }) => name !== 'constructor')
  const domains = Object.entries(DOMAINS).map(([tag, title]) => {
    const entries = ofRoutes.filter(({ name }) => ROUTES[name as RouteName].tag === tag)
    return `## ${title}\n\n${entries.map(section).join('\n')}`
  })
  const errors = Object.entries(CLIENT_ERRORS).map(
    ([code, { meaning, remedy }]) => `| \`${code}\` | ${meaning} | ${remedy} |`,
  )
  return `<!-- Generated from packages/client by "npm run generate"; do not edit. -->

# Client

\`@medloom/client\` is a typed client for browsers and Node. In Node import it from \`@medloom/client/node\`, which adds WebSockets with
headers and long-running requests.

\`\`\`ts
import { MedloomClient } from '@medloom/client/node'

const client = new MedloomClient({ baseUrl: 'http://127.0.0.1:8000' })
const { job_id } = await client.startTraining({ config })
for await (const message of client.watch(job_id)) console.log(message.type, message.metrics)
\`\`\`

Each method takes the fields of path, query and body side by side in one object, then optionally \`signal\`, \`timeoutSeconds\` and
\`idempotencyKey\`. An error response is thrown as \`MedloomError\` with \`code\`, \`http\`, \`details\`, \`issues\` and \`requestId\`; its codes are
listed in [errors](errors.md). Any call may throw ${GENERAL_ERRORS.map((code) => `\`${code}\``).join(', ')},
and these, which the client itself adds:

| code | meaning | remedy |
|---|---|---|
${errors.join('\n')}

## Follow, and call by name

${own.map(section).join('\n')}
${domains.join('\n')}`
}

function section({ name, text, throws, examples }: Documented): string {
  const thrown = throws === null ? '' : `\nThrows ${throws}.\n`
  return `### ${name}\n\n${text}\n\n\`\`\`ts\n${examples.join('\n')}\n\`\`\`\n${thrown}`
}

/** All methods of a source text with JSDoc, in order. */
function documented(source: string): Documented[] {
  const methods = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(?:async )?(\w+)(?:<[^(]*>)?\(/g
  return [...source.matchAll(methods)].map(([, comment = '', name = '']) => {
    const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    const [text = '', ...tags] = lines
      .join('\n')
      .trim()
      .split(/\n(?=@)/)
    const textsOf = (tag: string) =>
      tags.flatMap((part) => (part.startsWith(`@${tag} `) ? [part.slice(tag.length + 2)] : []))
    const [throws = null] = textsOf('throws').map(withCodes)
    return { name, text: text.trim(), throws, examples: textsOf('example') }
  })
}

function withCodes(throws: string): string {
  const codes = /[A-Z]+(?:_[A-Z]+)*(?![a-z])/g
  return throws
    .replaceAll('\n', ' ')
    .replace(/^MedloomError /, '')
    .replaceAll(codes, '`$&`')
}
