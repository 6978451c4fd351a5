import { basename, extname } from 'node:path'
import type { MedloomClient } from '@medloom/client/node'
import { counted, WORKFLOW_VERSION, type Workflow, writeWorkflow } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { EXIT, UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { writeNewFile } from '../../workflow-files/write-new-file.js'

export const addTemplates: AddCommand = (parent) =>
  parent
    .add('templates')
    .description('list the templates for new workflows')
    .option('--dataset <id>', 'show whether this registered dataset fits each template, and what is missing')
    .example('medloom workflow templates')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const query = options.dataset ? { dataset_id: options.dataset } : {}
      print(options, await connect(options).listTemplates(query), ({ templates }) =>
        formatTable(
          ['template', 'nodes', 'name', options.dataset ? 'fits' : 'tags'],
          templates.map(({ template_id, name, tags, fit, workflow: { nodes } }) => [
            template_id,
            String(nodes.length),
            name,
            fit ? (fit.fits ? 'yes' : `no: ${fit.missing[0]?.message}`) : tags.join(', '),
          ]),
        ),
      )
    })

export const addNew: AddCommand = (parent) =>
  parent
    .add('new')
    .description('write the file of a new workflow, empty or from a template')
    .argument('<file>', 'file to write; an existing file is not overwritten')
    .option('-t, --template <id>', 'template; "medloom workflow templates" lists them (default: no nodes)')
    .option('-n, --name <name>', 'name of the workflow (default: that of the template, or of the file)')
    .example('medloom workflow new first.json --template first-example')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const begin = options.template ? await templateOf(connect(options), options.template) : emptyWorkflow()
      const name = options.name ?? (begin.metadata.name || basename(word, extname(word)))
      const made = { ...begin, metadata: { ...begin.metadata, name, created_at: new Date().toISOString() } }
      writeNewFile(word, writeWorkflow(made))
      print(options, { path: fromCurrentFolder(word), name, nodes: made.nodes.length }, () =>
        [`${word}: ${counted(made.nodes.length, 'node')}`, `Run it: medloom workflow run ${word}`].join('\n'),
      )
    })

async function templateOf(client: MedloomClient, id: string): Promise<Workflow> {
  const { templates } = await client.listTemplates()
  const found = templates.find(({ template_id }) => template_id === id)
  if (found) return found.workflow
  throw new UsageError(
    `There is no template "${id}".`,
    `The templates are ${templates.map(({ template_id }) => template_id).join(', ')}.`,
    EXIT.notFound,
  )
}

function emptyWorkflow(): Workflow {
  return {
    version: WORKFLOW_VERSION,
    metadata: { name: '', description: '', author: '', tags: [] },
    nodes: [],
    connections: [],
    execution_history: [],
  }
}
